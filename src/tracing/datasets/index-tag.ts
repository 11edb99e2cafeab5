import type { Queryable } from '../../platform/db/database.ts';
import { DatasetNotFound } from '../errors.ts';

/** Tag of the version that similarity searches use. Throws DatasetNotFound. */
export async function findIndexTag(db: Queryable, tenantId: string, datasetId: string): Promise<string> {
  const { rows } = await db.query<{ tag: string }>(
    `select coalesce(index_tag, 'latest') as tag from tracing.dataset where tenant_id = $1 and id = $2`,
    [tenantId, datasetId],
  );
  if (!rows[0]) throw new DatasetNotFound(datasetId);
  return rows[0].tag;
}

/** Undefined resets to the newest version. */
export async function setIndexTag(
  db: Queryable,
  tenantId: string,
  datasetId: string,
  tag: string | undefined,
): Promise<void> {
  await db.query('update tracing.dataset set index_tag = $3 where tenant_id = $1 and id = $2', [
    tenantId,
    datasetId,
    tag,
  ]);
}
