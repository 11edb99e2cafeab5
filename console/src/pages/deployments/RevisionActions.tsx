import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Deployment, Revision } from '../../api/control-plane-records.ts';
import { actOnRevision, deploymentKey, type RevisionAction } from '../../api/control-plane.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { isOnItsWay } from './revision-states.ts';

/** What may be done to a revision as it is. */
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
          question={`Revision ${number} is built and waits. It will be started, and take over when it is well.`}
          onConfirm={() => act('approve')}
        />
      )}
      {isOnItsWay(status) && (
        <ConfirmButton
          label="Interrupt"
          isDangerous
          question={`Revision ${number} stops where it is; what serves now goes on serving.`}
          onConfirm={() => act('interrupt')}
        />
      )}
      {hasServed && !serves && (
        <ConfirmButton
          label={isOlder(deployment, revision) ? 'Roll back to this' : 'Promote'}
          variant="filled"
          question={`A new revision is made of what revision ${number} was built into, with the environment it had. Nothing is built; it takes over when it is well, and no request is dropped.`}
          onConfirm={() => act('redeploy')}
        />
      )}
      {(serves || (isImage && !isOnItsWay(status) && !hasServed)) && (
        <ConfirmButton
          label="Redeploy"
          question={`A new revision is made of what revision ${number} is, and takes over when it is well.`}
          onConfirm={() => act('redeploy')}
        />
      )}
    </>
  );
}

const isOlder = ({ active_revision_id, latest_revision_id }: Deployment, { id }: Revision): boolean =>
  active_revision_id !== null && (active_revision_id === latest_revision_id || id !== latest_revision_id);
