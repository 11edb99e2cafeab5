import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { LogView } from '../../parts/LogView.tsx';
import { useLogStream } from '../../parts/use-log-stream.ts';

const WORDS = {
  build: { label: 'Build log', empty: 'No build output yet. Images are not built.' },
  deploy: { label: 'Runtime log', empty: 'No log output yet.' },
};

/** Live build or runtime log of a revision. */
export function RevisionLog({
  deploymentId,
  revisionId,
  phase,
}: {
  deploymentId: string;
  revisionId: string;
  phase: 'build' | 'deploy';
}) {
  const path = `/v2/deployments/${deploymentId}/revisions/${revisionId}/logs/stream?phase=${phase}`;
  const { lines, isLive, error } = useLogStream(path);
  const { label, empty } = WORDS[phase];
  if (error) return <ErrorNotice error={error} title="Could not load the log" />;
  return <LogView label={label} lines={lines} isLive={isLive} empty={empty} />;
}
