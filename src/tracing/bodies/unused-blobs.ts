import type { Queryable } from '../../platform/db/database.ts';

// Tables that reference blobs by `tenant_id` and `sha256`.
const USERS = ['tracing.attachment', 'tracing.example_attachment'];

/**
 * Deletes those of these blobs that are no longer referenced. Call it in the transaction that removed the references.
 */
export async function removeUnusedBlobs(tx: Queryable, tenantId: string, hashes: Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  // Locks first, so that the next statement sees references of concurrent writers.
  await tx.query(
    'select 1 from tracing.blob where tenant_id = $1 and sha256 = any($2) order by sha256 for update',
    [tenantId, hashes],
  );
  await tx.query(
    `delete from tracing.blob b where b.tenant_id = $1 and b.sha256 = any($2) and ${USERS.map(
      (table) =>
        `not exists (select 1 from ${table} u where u.tenant_id = b.tenant_id and u.sha256 = b.sha256)`,
    ).join(' and ')}`,
    [tenantId, hashes],
  );
}
