import type { Queryable } from '../../platform/db/database.ts';

/** Records the request to delete these projects or traces. */
export async function requestDeletion(db: Queryable, tenant_id: string, targetIds: string[]): Promise<void> {
  await db.query(
    `insert into tracing.deletion (tenant_id, target_id) select $1, unnest($2::uuid[])
     on conflict (tenant_id, target_id) do nothing`,
    [tenant_id, targetIds],
  );
}

/** The projects or traces whose deletion was requested. */
export async function listRequestedDeletions(
  db: Queryable,
  tenant_id: string,
  targetIds: string[],
): Promise<string[]> {
  const { rows } = await db.query<{ target_id: string }>(
    'select target_id from tracing.deletion where tenant_id = $1 and target_id = any($2)',
    [tenant_id, targetIds],
  );
  return rows.map(({ target_id }) => target_id);
}

/** Removes the request once it is carried out. */
export async function endDeletion(db: Queryable, tenant_id: string, target_id: string): Promise<void> {
  await db.query('delete from tracing.deletion where tenant_id = $1 and target_id = $2', [
    tenant_id,
    target_id,
  ]);
}
