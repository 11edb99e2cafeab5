import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Deployment, Revision } from '../../api/control-plane-records.ts';
import { actOnRevision, deploymentKey, type RevisionAction } from '../../api/control-plane.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { isInProgress } from './revision-states.ts';

/** Actions available in the revision's state. */
export function RevisionActions({ deployment, revision }: { deployment: Deployment; revision: Revision }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, number, status, source } = revision;
  const act = async (action: RevisionAction): Promise<void> => {
    const answer = (await actOnRevision(deployment.id, id, action)) as Partial<Deployment>;
    await queries.invalidateQueries({ queryKey: deploymentKey(deployment.id) });
    if (action === 'redeploy' && answer.latest_revision_id)
      await navigate(`/deployments/${deployment.id}/revisions/${answer.latest_revision_id}`);
  };
  const serves = deployment.active_revision_id === id;
  const hasServed = status === 'DEPLOYED' || status === 'UNKNOWN';
  const isImage = source === 'external_container' || source === 'internal_container';
  return (
    <>
      {status === 'AWAITING_DEPLOY' && revision.status_message === 'waiting for approval' && (
        <ConfirmButton
          label="Approve"
          variant="filled"
          question={`Revision ${number} is built and waiting for approval. It will replace the active revision once it is healthy.`}
          onConfirm={() => act('approve')}
        />
      )}
      {isInProgress(status) && (
        <ConfirmButton
          label="Interrupt"
          isDangerous
          question={`Revision ${number} stops. The active revision keeps running.`}
          onConfirm={() => act('interrupt')}
        />
      )}
      {hasServed && !serves && (
        <ConfirmButton
          label={isOlder(deployment, revision) ? 'Roll back' : 'Promote'}
          variant="filled"
          question={`This creates a revision from the build and environment of revision ${number}, without rebuilding. It takes over once it is healthy; no request is dropped.`}
          onConfirm={() => act('redeploy')}
        />
      )}
      {(serves || (isImage && !isInProgress(status) && !hasServed)) && (
        <ConfirmButton
          label="Redeploy"
          question={`This creates a revision from the source of revision ${number}. It takes over once it is healthy.`}
          onConfirm={() => act('redeploy')}
        />
      )}
    </>
  );
}

const isOlder = ({ active_revision_id, latest_revision_id }: Deployment, { id }: Revision): boolean =>
  active_revision_id !== null && (active_revision_id === latest_revision_id || id !== latest_revision_id);
