import type { Queryable } from '../../platform/db/database.ts';

/** What a tenant is to others. */
export interface HubSettings {
  created_at: string;
  tenant_handle: string | null;
}

export async function settingsOf(db: Queryable, tenantId: string): Promise<HubSettings> {
  await db.query('insert into tracing.hub_settings (tenant_id) values ($1) on conflict do nothing', [
    tenantId,
  ]);
  const { rows } = await db.query<HubSettings>(
    'select created_at, tenant_handle from tracing.hub_settings where tenant_id = $1',
    [tenantId],
  );
  return rows[0]!;
}

/** Fails with 23505 when another tenant has the handle. */
export async function setHandle(db: Queryable, tenantId: string, handle: string): Promise<void> {
  await db.query(
    `insert into tracing.hub_settings (tenant_id, tenant_handle) values ($1, $2)
     on conflict (tenant_id) do update set tenant_handle = excluded.tenant_handle`,
    [tenantId, handle],
  );
}
