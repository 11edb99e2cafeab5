import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { QuotaReached } from '../errors.ts';
import { countDeployments } from './deployment-repository.ts';

/** Before a deployment is made, in its transaction: whether the tenant may have one more. Throws QuotaReached. */
export async function checkQuota(
  { config }: Pick<ControlPlaneDeps, 'config'>,
  tx: Queryable,
  tenantId: string,
): Promise<void> {
  // One after another, or two that come at once would both find room for one.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota/${tenantId}`]);
  const most = config.SLIPWAY_TENANT_DEPLOYMENTS;
  if ((await countDeployments(tx, tenantId)) >= most) throw new QuotaReached(most);
}
