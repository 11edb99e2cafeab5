import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../platform/db/database.ts';

export interface Share {
  token: string;
  tenant_id: string;
  dataset_id: string;
}

/** Shares a dataset; one that is shared keeps its token. */
export async function shareDataset(db: Queryable, tenantId: string, datasetId: string): Promise<Share> {
  await db.query(
    `insert into tracing.dataset_share (token, tenant_id, dataset_id) values ($1, $2, $3)
     on conflict (tenant_id, dataset_id) do nothing`,
    [randomUUID(), tenantId, datasetId],
  );
  return (await findShareOf(db, tenantId, datasetId))!;
}

export async function findShare(db: Queryable, token: string): Promise<Share | undefined> {
  const { rows } = await db.query<Share>(
    'select token, tenant_id, dataset_id from tracing.dataset_share where token = $1',
    [token],
  );
  return rows[0];
}

export async function findShareOf(
  db: Queryable,
  tenantId: string,
  datasetId: string,
): Promise<Share | undefined> {
  const { rows } = await db.query<Share>(
    'select token, tenant_id, dataset_id from tracing.dataset_share where tenant_id = $1 and dataset_id = $2',
    [tenantId, datasetId],
  );
  return rows[0];
}

export async function unshareDataset(db: Queryable, tenantId: string, datasetId: string): Promise<void> {
  await db.query('delete from tracing.dataset_share where tenant_id = $1 and dataset_id = $2', [
    tenantId,
    datasetId,
  ]);
}
