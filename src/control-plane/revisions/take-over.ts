import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { activateRevision, findDeploymentStanding } from '../records/deployment-repository.ts';
import { BeingDeleted, DeploymentNotFound, RevisionNotFound, StepRefused } from '../errors.ts';
import { findReplaced, findRevision, stepRevision } from '../records/revision-repository.ts';

/**
 * Makes the revision active and returns the one it replaced. Throws when it belongs to another deployment, hasn't
 * started (`isTried` allows a canary), or the deployment is being deleted.
 */
export async function takeOver(
  tx: Queryable,
  { SLIPWAY_PUBLIC_URL }: Pick<ControlPlaneSettings, 'SLIPWAY_PUBLIC_URL'>,
  deploymentId: string,
  id: string,
  { isTried = false } = {},
): Promise<string | null> {
  const standing = await findDeploymentStanding(tx, deploymentId, { lock: true });
  if (!standing) throw new DeploymentNotFound(deploymentId);
  if (standing.is_going) throw new BeingDeleted(deploymentId);
  const { active_revision_id: before } = standing;
  const revision = await findRevision(tx, id, deploymentId);
  if (!revision) throw new RevisionNotFound(id);
  const { status } = revision;
  const isUp = status === 'DEPLOYED' || status === 'UNKNOWN';
  if (status !== 'DEPLOYING' && !(isUp && (isTried || before === id)))
    throw new StepRefused(id, status, 'made active');
  await activateRevision(tx, deploymentId, {
    revision_id: id,
    custom_url: `${SLIPWAY_PUBLIC_URL}/d/${deploymentId}`,
  });
  // It may have failed since it was read: a step needs no lock on the deployment.
  if (!(await stepRevision(tx, id, 'DEPLOYED')) && status === 'DEPLOYING')
    throw new StepRefused(id, status, 'made active');
  // An earlier attempt did it: the replaced revision is the newest other one that served.
  return before === id ? findReplaced(tx, deploymentId, id) : before;
}
