import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { activateRevision, findDeploymentStanding } from '../deployments/deployment-repository.ts';
import { BeingDeleted, DeploymentNotFound, RevisionNotFound, StepRefused } from '../errors.ts';
import { findReplaced, findRevision, stepRevision } from './revision-repository.ts';

/**
 * The revision serves from now on, and says so. Returns the one that served before, if it is another. Throws where it is
 * no revision of the deployment, has not been started (`isTried` is one that runs beside the one that serves), or the
 * deployment is being deleted.
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
    throw new StepRefused(id, status, 'the one that serves');
  await activateRevision(tx, deploymentId, {
    revision_id: id,
    custom_url: `${SLIPWAY_PUBLIC_URL}/d/${deploymentId}`,
  });
  await stepRevision(tx, id, 'DEPLOYED');
  // Done before, and nobody heard: what it replaced is the newest other one that served.
  return before === id ? findReplaced(tx, deploymentId, id) : before;
}
