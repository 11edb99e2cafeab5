import type { Queryable } from '../../../platform/db/database.ts';
import { InvalidSetting } from '../../../platform/settings.ts';
import type { FenceSettings } from '../../fence/configured-rules.ts';
import { findFence } from '../../fence/fence.ts';

export async function countTenants(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ tenants: number }>(
    `select count(*)::int as tenants from (
       select tenant_id from control_plane.deployment union
       select tenant_id from control_plane.api_key where tenant_id is not null) known`,
  );
  return rows[0]!.tenants;
}

/**
 * Returns a warning if agents are not fenced off; undefined if they are. Throws InvalidSetting if they are not, but
 * there is more than one tenant.
 */
export async function unfencedTenants(db: Queryable, settings: FenceSettings): Promise<string | undefined> {
  const { missing } = await findFence(settings);
  if (missing && (await countTenants(db)) > 1)
    throw new InvalidSetting(`SLIPWAY_DRIVER=process cannot run agents of more than one tenant: ${missing}`);
  return missing;
}
