import { createHash } from 'node:crypto';
import type { Statement } from '../../platform/db/database.ts';
import { storableText } from '../../platform/storable-text.ts';
import type { TracingDeps } from '../tracing-deps.ts';

interface Attached {
  run_id: string;
  name: string;
  mime_type: string;
  bytes: Buffer;
}

/** What attachments are sealed for: one does not open as another's. */
export const blobPurpose = (tenantId: string, sha256: Buffer): string =>
  `tracing blob ${tenantId} ${sha256.toString('hex')}`;

/** What writes attachments: equal contents of a tenant are kept once, sealed. */
export function attachmentStatements(
  box: TracingDeps['box'],
  tenantId: string,
  attached: Attached[],
): Statement[] {
  if (attached.length === 0) return [];
  const rows = attached.map(({ bytes, ...row }) => ({
    ...row,
    bytes,
    sha256: createHash('sha256').update(bytes).digest(),
  }));
  const blobs = [...new Map(rows.map((row) => [row.sha256.toString('hex'), row])).entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => row);
  return [
    {
      // One that is there already is written to as well: whoever removes what is not used waits for this.
      text: `insert into tracing.blob (tenant_id, sha256, size, bytes)
        select $1, b.sha256, b.size, b.bytes from unnest($2::bytea[], $3::bigint[], $4::bytea[]) as b (sha256, size, bytes)
        on conflict (tenant_id, sha256) do update set size = excluded.size`,
      values: [
        tenantId,
        blobs.map(({ sha256 }) => sha256),
        blobs.map(({ bytes }) => bytes.length),
        blobs.map(({ bytes, sha256 }) => box.sealBytes(bytes, blobPurpose(tenantId, sha256))),
      ],
    },
    {
      text: `insert into tracing.attachment (tenant_id, run_id, name, mime_type, sha256)
        select distinct on (a.run_id, a.name) $1::uuid, a.run_id, a.name, a.mime_type, a.sha256
        from unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[]) as a (run_id, name, mime_type, sha256)
        on conflict (tenant_id, run_id, name) do update set mime_type = excluded.mime_type, sha256 = excluded.sha256`,
      values: [
        tenantId,
        rows.map(({ run_id }) => run_id),
        rows.map(({ name }) => storableText(name)),
        rows.map(({ mime_type }) => storableText(mime_type)),
        rows.map(({ sha256 }) => sha256),
      ],
    },
  ];
}
