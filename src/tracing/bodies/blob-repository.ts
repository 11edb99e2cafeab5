import type { Queryable } from '../../platform/db/database.ts';

/** Sealed bytes of an attachment. */
export async function findBlob(db: Queryable, tenantId: string, sha256: Buffer): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ bytes: Buffer }>(
    'select bytes from tracing.blob where tenant_id = $1 and sha256 = $2',
    [tenantId, sha256],
  );
  return rows[0]?.bytes;
}
