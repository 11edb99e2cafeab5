import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { LogView } from '../../parts/LogView.tsx';
import { useLogStream } from '../../parts/use-log-stream.ts';

const WORDS = {
  build: { label: 'Build log', empty: 'Building it has said nothing yet. An image is not built.' },
  deploy: { label: 'Runtime log', empty: 'The agent has said nothing yet.' },
};

/** What building a revision, or the revision itself, says; as it comes. */
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
  if (error) return <ErrorNotice error={error} title="The log cannot be read" />;
  return <LogView label={label} lines={lines} isLive={isLive} empty={empty} />;
}
