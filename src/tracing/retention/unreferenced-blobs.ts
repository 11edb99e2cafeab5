import { type Database, inTransaction } from '../../platform/db/database.ts';

const BLOBS = 200;

/**
 * Deletes a batch of unreferenced blobs and returns the number. Blocks writers meanwhile, who could otherwise attach
 * a blob that is being deleted.
 */
export function deleteUnreferencedBlobs(db: Database): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'tracing'::regnamespace and c.relkind = 'r' and a.attname = 'sha256' and c.relname <> 'blob'`,
    );
    const loose = rows
      .map(
        ({ name }) =>
          `not exists (select from ${name} u where u.tenant_id = b.tenant_id and u.sha256 = b.sha256)`,
      )
      .join(' and ');
    const { rows: found } = await tx.query<{ tenant_id: string; sha256: Buffer }>(
      `select b.tenant_id, b.sha256 from tracing.blob b where ${loose} limit ${BLOBS}`,
    );
    if (found.length === 0) return 0;
    await tx.query('lock table tracing.blob in share row exclusive mode');
    const { rowCount } = await tx.query(
      `delete from tracing.blob b using unnest($1::uuid[], $2::bytea[]) as f (tenant_id, sha256)
       where b.tenant_id = f.tenant_id and b.sha256 = f.sha256 and ${loose}`,
      [found.map(({ tenant_id }) => tenant_id), found.map(({ sha256 }) => sha256)],
    );
    return rowCount ?? 0;
  });
}
