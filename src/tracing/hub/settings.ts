import type { Queryable } from '../../platform/db/database.ts';

const RESERVED = 'workspace-';

/** Public profile of a tenant. */
export interface HubSettings {
  created_at: string;
  tenant_handle: string;
}

export async function settingsOf(db: Queryable, tenantId: string): Promise<HubSettings> {
  await db.query(
    `insert into tracing.hub_settings (tenant_id, tenant_handle) values ($1, $2)
     on conflict (tenant_id) do update set tenant_handle = excluded.tenant_handle
       where hub_settings.tenant_handle is null`,
    [tenantId, handleOf(tenantId)],
  );
  const { rows } = await db.query<HubSettings>(
    'select created_at, tenant_handle from tracing.hub_settings where tenant_id = $1',
    [tenantId],
  );
  return rows[0]!;
}

/** The default handle of a workspace. */
const handleOf = (tenantId: string): string => `${RESERVED}${tenantId}`;

/** Whether it is the default handle of another workspace. */
export const isReserved = (handle: string, tenantId: string): boolean =>
  handle.startsWith(RESERVED) && handle !== handleOf(tenantId);

/** Fails with 23505 if another tenant has the handle. */
export async function setHandle(db: Queryable, tenantId: string, handle: string): Promise<void> {
  await db.query(
    `insert into tracing.hub_settings (tenant_id, tenant_handle) values ($1, $2)
     on conflict (tenant_id) do update set tenant_handle = excluded.tenant_handle`,
    [tenantId, handle],
  );
}
