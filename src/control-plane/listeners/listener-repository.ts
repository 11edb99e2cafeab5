import type { Queryable } from '../../platform/db/database.ts';
import type { Listener, ListenerCreate, ListenerPatch } from './listener.ts';

const COLUMNS = `id, created_at, updated_at, version, compute_type, compute_id,
  '{"k8s_namespaces": null}'::jsonb || compute_config as compute_config`;

/** Undefined when the `compute_id` is taken. */
export async function insertListener(
  tx: Queryable,
  tenantId: string,
  { id, version = null, compute_type, compute_id, compute_config = {} }: ListenerCreate & { id: string },
): Promise<Listener | undefined> {
  const { rows } = await tx.query<Listener>(
    `insert into control_plane.listener (id, tenant_id, version, compute_type, compute_id, compute_config)
     values ($1, $2, $3, $4, $5, $6) on conflict (tenant_id, compute_id) do nothing returning ${COLUMNS}`,
    [id, tenantId, version, compute_type, compute_id, JSON.stringify(compute_config)],
  );
  return rows[0];
}

/** Newest first. */
export async function listListeners(
  db: Queryable,
  tenantId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<Listener[]> {
  const { rows } = await db.query<Listener>(
    `select ${COLUMNS} from control_plane.listener where tenant_id = $1
     order by created_at desc, id desc limit $2 offset $3`,
    [tenantId, limit, offset],
  );
  return rows;
}

export async function findListener(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<Listener | undefined> {
  const { rows } = await db.query<Listener>(
    `select ${COLUMNS} from control_plane.listener where tenant_id = $1 and id = $2`,
    [tenantId, id],
  );
  return rows[0];
}

/** Undefined if not found. */
export async function updateListener(
  tx: Queryable,
  tenantId: string,
  id: string,
  { version = null, compute_config = null }: ListenerPatch,
): Promise<Listener | undefined> {
  const { rows } = await tx.query<Listener>(
    `update control_plane.listener set version = coalesce($3, version),
       compute_config = coalesce($4, compute_config), updated_at = clock_timestamp()
     where tenant_id = $1 and id = $2 returning ${COLUMNS}`,
    [tenantId, id, version, compute_config && JSON.stringify(compute_config)],
  );
  return rows[0];
}

/** False if not found. */
export async function deleteListener(tx: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from control_plane.listener where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ]);
  return rowCount === 1;
}

export async function hasListeners(db: Queryable, tenantId: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    'select exists (select from control_plane.listener where tenant_id = $1) as found',
    [tenantId],
  );
  return rows[0]!.found;
}
