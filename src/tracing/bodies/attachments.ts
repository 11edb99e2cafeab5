import { createHash } from 'node:crypto';
import type { Queryable, Statement } from '../../platform/db/database.ts';
import { storableText } from '../../platform/storable-text.ts';
import type { TracingDeps } from '../tracing-deps.ts';

interface Attached {
  run_id: string;
  name: string;
  mime_type: string;
  bytes: Buffer;
}

/** Sealing purpose, which ties ciphertext to one tenant and one content hash. */
export const blobPurpose = (tenantId: string, sha256: Buffer): string =>
  `tracing blob ${tenantId} ${sha256.toString('hex')}`;

/** Statement that writes the blobs, deduplicated per tenant and sealed, and their hashes in the given order. */
export function blobStatement(
  box: TracingDeps['box'],
  tenantId: string,
  contents: Buffer[],
): { statement: Statement; hashes: Buffer[] } {
  const hashes = contents.map((bytes) => createHash('sha256').update(bytes).digest());
  const blobs = [...new Map(hashes.map((sha256, index) => [sha256.toString('hex'), index])).entries()]
    // A fixed lock order prevents deadlocks between writers.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, index]) => ({ sha256: hashes[index]!, bytes: contents[index]! }));
  const statement = {
    // Updates existing rows too, so that removal of unused blobs waits for this transaction.
    text: `insert into tracing.blob (tenant_id, sha256, size, bytes)
      select $1, b.sha256, b.size, b.bytes from unnest($2::bytea[], $3::bigint[], $4::bytea[]) as b (sha256, size, bytes)
      on conflict (tenant_id, sha256) do update set size = excluded.size`,
    values: [
      tenantId,
      blobs.map(({ sha256 }) => sha256),
      blobs.map(({ bytes }) => bytes.length),
      blobs.map(({ bytes, sha256 }) => box.sealBytes(bytes, blobPurpose(tenantId, sha256))),
    ],
  };
  return { statement, hashes };
}

/** Statements that write attachments of runs. */
export function attachmentStatements(
  box: TracingDeps['box'],
  tenantId: string,
  attached: Attached[],
): Statement[] {
  if (attached.length === 0) return [];
  const { statement, hashes } = blobStatement(
    box,
    tenantId,
    attached.map(({ bytes }) => bytes),
  );
  return [
    statement,
    {
      text: `insert into tracing.attachment (tenant_id, run_id, name, mime_type, sha256)
        select distinct on (a.run_id, a.name) $1::uuid, a.run_id, a.name, a.mime_type, a.sha256
        from unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[])
          with ordinality as a (run_id, name, mime_type, sha256, place)
        order by a.run_id, a.name, a.place desc
        on conflict (tenant_id, run_id, name) do update set mime_type = excluded.mime_type, sha256 = excluded.sha256`,
      values: [
        tenantId,
        attached.map(({ run_id }) => run_id),
        attached.map(({ name }) => storableText(name)),
        attached.map(({ mime_type }) => storableText(mime_type)),
        hashes,
      ],
    },
  ];
}

interface AttachedToRun {
  name: string;
  mime_type: string;
  sha256: Buffer;
}

/** Attachments by run id. */
export async function attachmentsOfRuns(
  db: Queryable,
  tenantId: string,
  runIds: string[],
): Promise<Map<string, AttachedToRun[]>> {
  const attached = new Map<string, AttachedToRun[]>();
  if (runIds.length === 0) return attached;
  const { rows } = await db.query<AttachedToRun & { run_id: string }>(
    `select run_id, name, mime_type, sha256 from tracing.attachment
     where tenant_id = $1 and run_id = any($2) order by run_id, name`,
    [tenantId, runIds],
  );
  for (const { run_id, ...one } of rows) attached.set(run_id, [...(attached.get(run_id) ?? []), one]);
  return attached;
}
