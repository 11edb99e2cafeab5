import type { Queryable } from '../../platform/db/database.ts';

/** Notes that these projects or traces are to be deleted. */
export async function askDeletion(db: Queryable, tenant_id: string, targetIds: string[]): Promise<void> {
  await db.query(
    `insert into tracing.deletion (tenant_id, target_id) select $1, unnest($2::uuid[])
     on conflict (tenant_id, target_id) do nothing`,
    [tenant_id, targetIds],
  );
}

export async function isDeletionAsked(db: Queryable, tenant_id: string, target_id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from tracing.deletion where tenant_id = $1 and target_id = $2',
    [tenant_id, target_id],
  );
  return rowCount === 1;
}

/** Once it is deleted. */
export async function endDeletion(db: Queryable, tenant_id: string, target_id: string): Promise<void> {
  await db.query('delete from tracing.deletion where tenant_id = $1 and target_id = $2', [
    tenant_id,
    target_id,
  ]);
}
