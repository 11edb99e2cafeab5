import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { QuotaReached } from '../errors.ts';
import { countDeployments } from '../records/deployment-repository.ts';

/** Checks, in the transaction that creates a deployment, that the tenant may have another. Throws QuotaReached. */
export async function checkQuota(
  { config }: Pick<ControlPlaneDeps, 'config'>,
  tx: Queryable,
  tenantId: string,
): Promise<void> {
  // Serialised, or two concurrent requests could both take the last slot.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota/${tenantId}`]);
  const most = config.SLIPWAY_TENANT_DEPLOYMENTS;
  if ((await countDeployments(tx, tenantId)) >= most) throw new QuotaReached(most);
}
