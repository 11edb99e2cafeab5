import { shareQuery, shareRun, unshareRun } from '../../api/tracing-shares.ts';
import { ShareButton } from '../../parts/ShareButton.tsx';

/** Shares a trace by link. */
export const ShareTrace = ({ runId }: { runId: string }) => (
  <ShareButton
    sharing={{
      title: 'Share this trace',
      whenShared: 'Anyone with this link can see all runs of the trace without signing in.',
      whenNot: 'Creates a link that shows all runs of this trace to anyone until you stop sharing.',
      query: shareQuery(runId),
      share: () => shareRun(runId),
      unshare: () => unshareRun(runId),
      pathOf: (token) => `/public/${token}/r`,
    }}
  />
);
