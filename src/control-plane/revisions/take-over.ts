import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { activateRevision, findServing } from '../deployments/deployment-repository.ts';
import { findReplaced, stepRevision } from './revision-repository.ts';

/** The revision serves from now on, and says so. Returns the one that served before, if it is another. */
export async function takeOver(
  tx: Queryable,
  { SLIPWAY_PUBLIC_URL }: Pick<ControlPlaneSettings, 'SLIPWAY_PUBLIC_URL'>,
  deploymentId: string,
  id: string,
): Promise<string | null> {
  const before = await findServing(tx, deploymentId);
  await activateRevision(tx, deploymentId, {
    revision_id: id,
    custom_url: `${SLIPWAY_PUBLIC_URL}/d/${deploymentId}`,
  });
  await stepRevision(tx, id, 'DEPLOYED');
  // Done before, and nobody heard: what it replaced is the newest other one that served.
  return before === id ? findReplaced(tx, deploymentId, id) : before;
}
