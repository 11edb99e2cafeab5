import type { Queryable } from '../../platform/db/database.ts';
import { removeUnusedBlobs } from '../bodies/unused-blobs.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { parseLossless, unmarkNumbers } from '../json/lossless-numbers.ts';
import { exactJson } from '../json/storable-json.ts';
import type { Attached, ExampleRow, ExampleState } from './example.ts';

/** Columns of ExampleRow; the table alias is `e`. Hashes are hexadecimal, because JSON has no bytes. */
export const EXAMPLE_ROW = `e.id, e.dataset_id, e.inputs::text, e.outputs::text, e.metadata::text, e.source_run_id, e.created_at, e.valid_from,
  (select coalesce(json_agg(json_build_object('name', a.name, 'mime_type', a.mime_type, 'sha256', encode(a.sha256, 'hex'))
     order by a.name), '[]') from tracing.example_attachment a
   where a.tenant_id = e.tenant_id and a.example_id = e.id and a.valid_from = e.valid_from) as attachments`;

/** Condition on rows of `e` as of a time, given as SQL; undefined means now. */
export const asOfSql = (time: string | undefined): string =>
  time
    ? `e.valid_from <= ${time}::timestamptz and (e.valid_to is null or e.valid_to > ${time}::timestamptz)`
    : 'e.valid_to is null';

export interface StoredExample extends Omit<ExampleRow, 'attachments' | 'inputs' | 'outputs' | 'metadata'> {
  inputs: string;
  outputs: string | null;
  metadata: string;
  attachments: (Omit<Attached, 'sha256'> & { sha256: string })[];
}

export const readRow = (row: StoredExample): ExampleRow => ({
  ...row,
  inputs: parseLossless(row.inputs) as JsonObject,
  outputs: row.outputs === null ? null : (parseLossless(row.outputs) as JsonObject | null),
  metadata: parseLossless(row.metadata) as JsonObject,
  attachments: row.attachments.map((one) => ({ ...one, sha256: Buffer.from(one.sha256, 'hex') })),
});

/** Examples as of a time; undefined means now. Missing examples are left out. */
export async function findExamples(
  db: Queryable,
  tenantId: string,
  ids: string[],
  asOf?: string,
): Promise<ExampleRow[]> {
  const { rows } = await db.query<StoredExample>(
    `select ${EXAMPLE_ROW} from tracing.example e
     where e.tenant_id = $1 and e.id = any($2) and ${asOfSql(asOf && '$3')} order by e.id`,
    asOf ? [tenantId, ids, asOf] : [tenantId, ids],
  );
  return rows.map(readRow);
}

/** Writes new states of examples. `asOf` must come from nextVersion in the same transaction. Throws InvalidRequest. */
export async function writeExamples(
  tx: Queryable,
  tenantId: string,
  asOf: string,
  examples: ExampleState[],
): Promise<void> {
  await endExamples(
    tx,
    tenantId,
    asOf,
    examples.map(({ id }) => id),
  );
  await tx.query(
    `insert into tracing.example (tenant_id, valid_from, id, dataset_id, inputs, outputs, metadata, source_run_id, created_at)
     select $1, $2, n.id, n.dataset_id, n.inputs, n.outputs, n.metadata, n.source_run_id, coalesce(n.created_at, $2)
     from json_to_recordset($3) as n (id uuid, dataset_id uuid, inputs json, outputs json, metadata jsonb,
       source_run_id uuid, created_at timestamptz)`,
    [tenantId, asOf, unmarkNumbers(exactJson(examples.map(({ attachments: _kept, ...row }) => row)))],
  );
  const blobs = await lockBlobs(
    tx,
    tenantId,
    examples.flatMap(({ attachments }) => attachments.map(({ sha256 }) => sha256)),
  );
  const attached = examples.flatMap(({ id, attachments }) =>
    attachments
      .filter(({ sha256 }) => blobs.has(sha256.toString('hex')))
      .map(({ sha256, ...one }) => ({ ...one, example_id: id, sha256: sha256.toString('hex') })),
  );
  if (attached.length > 0)
    await tx.query(
      `insert into tracing.example_attachment (tenant_id, valid_from, example_id, name, mime_type, sha256)
       select $1, $2, a.example_id, a.name, a.mime_type, decode(a.sha256, 'hex')
       from json_to_recordset($3) as a (example_id uuid, name text, mime_type text, sha256 text)`,
      [tenantId, asOf, exactJson(attached)],
    );
}

/** Returns the existing blobs as hexadecimal hashes and locks them until the transaction ends. */
async function lockBlobs(tx: Queryable, tenantId: string, hashes: Buffer[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const { rows } = await tx.query<{ sha256: Buffer }>(
    'select sha256 from tracing.blob where tenant_id = $1 and sha256 = any($2) order by sha256 for key share',
    [tenantId, hashes],
  );
  return new Set(rows.map(({ sha256 }) => sha256.toString('hex')));
}

/** Ends the validity of examples at this version. */
export async function endExamples(
  tx: Queryable,
  tenantId: string,
  asOf: string,
  ids: string[],
): Promise<void> {
  await tx.query(
    'update tracing.example set valid_to = $2 where tenant_id = $1 and id = any($3) and valid_to is null',
    [tenantId, asOf, ids],
  );
}

/** Deletes all states of examples and their unshared attachments. */
export async function eraseExamples(tx: Queryable, tenantId: string, ids: string[]): Promise<void> {
  await erase(tx, tenantId, 'e.id = any($2)', ids);
}

/** Deletes all examples of a dataset. */
export async function eraseExamplesOf(tx: Queryable, tenantId: string, datasetId: string): Promise<void> {
  await erase(tx, tenantId, 'e.dataset_id = $2', datasetId);
}

async function erase(tx: Queryable, tenantId: string, which: string, value: unknown): Promise<void> {
  const { rows } = await tx.query<{ sha256: Buffer }>(
    `select distinct a.sha256 from tracing.example e
     join tracing.example_attachment a on a.tenant_id = e.tenant_id and a.example_id = e.id and a.valid_from = e.valid_from
     where e.tenant_id = $1 and ${which}`,
    [tenantId, value],
  );
  await tx.query(`delete from tracing.example e where e.tenant_id = $1 and ${which}`, [tenantId, value]);
  await removeUnusedBlobs(
    tx,
    tenantId,
    rows.map(({ sha256 }) => sha256),
  );
}

/** Dataset of each example by example id, including removed examples. */
export async function datasetsOfExamples(
  db: Queryable,
  tenantId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; dataset_id: string }>(
    'select distinct id, dataset_id from tracing.example where tenant_id = $1 and id = any($2)',
    [tenantId, ids],
  );
  return new Map(rows.map(({ id, dataset_id }) => [id, dataset_id]));
}
