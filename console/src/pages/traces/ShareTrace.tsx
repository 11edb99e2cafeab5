import { shareQuery, shareRun, unshareRun } from '../../api/tracing-shares.ts';
import { ShareButton } from '../../parts/ShareButton.tsx';

/** A link under which anyone reads a trace, for as long as it is shared. */
export const ShareTrace = ({ runId }: { runId: string }) => (
  <ShareButton
    sharing={{
      title: 'Share this trace',
      whenShared: 'Anyone who has this link reads all runs of the trace, without signing in.',
      whenNot: 'A link shows all runs of this trace to anyone who has it, until you end that.',
      query: shareQuery(runId),
      share: () => shareRun(runId),
      unshare: () => unshareRun(runId),
      pathOf: (token) => `/public/${token}/r`,
    }}
  />
);
