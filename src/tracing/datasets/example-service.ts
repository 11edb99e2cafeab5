import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { blobStatement } from '../bodies/attachments.ts';
import { ExampleElsewhere, ExampleNotFound, InvalidExample } from '../errors.ts';
import { readTime } from '../runs/run-time.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { maskAttachment, maskFields } from '../masking/mask-fields.ts';
import { markedNumbers } from '../json/lossless-numbers.ts';
import { nextVersion } from './dataset-versions.ts';
import {
  type ExampleCreate,
  type ExampleState,
  type ExampleUpdate,
  splitsOf,
  withSplits,
} from './example.ts';
import * as repository from './example-repository.ts';
import type { NewAttachment, Sent } from './read-examples.ts';
import { findExampleRules } from './rules/example-rules.ts';
import { sourceRuns } from './source-runs.ts';

/** Response to a write of examples (contract §1.13). */
export interface ExamplesWritten {
  count: number;
  example_ids: string[];
  as_of: string;
}

const HUGE = /e[-+]?0*[1-9]\d{3}|^-?[\d.]{1000}/i;

type Deps = Pick<TracingDeps, 'db' | 'box' | 'masks'>;

/**
 * Creates all examples or none. Existing ids are replaced, so requests can be retried. Throws DatasetNotFound,
 * InvalidExample, InvalidSchema, ExampleElsewhere.
 */
export async function createExamples(
  { db, box, masks }: Deps,
  tenantId: string,
  datasetId: string,
  unmasked: Sent<ExampleCreate>[],
): Promise<ExamplesWritten> {
  const sent = await masked(masks, tenantId, unmasked);
  const sources = await sourceRuns(
    db,
    tenantId,
    sent.map(({ body }) => body),
  );
  return inTransaction(db, async (tx) => {
    const as_of = await nextVersion(tx, tenantId, datasetId);
    await rejectOtherDatasets(
      tx,
      tenantId,
      datasetId,
      sent.map(({ id }) => id),
    );
    const rules = await findExampleRules(tx, tenantId, datasetId);
    const examples: ExampleState[] = [];
    for (const { id, body, attachments } of sent) {
      const source = body.source_run_id ? sources.get(body.source_run_id) : undefined;
      const taken = body.use_source_run_io ? source : undefined;
      const inputs = body.inputs ?? taken?.inputs;
      if (!inputs) throw new InvalidExample(`Example ${id} has no inputs`);
      examples.push({
        id,
        dataset_id: datasetId,
        ...rules.transform({ inputs, outputs: body.outputs ?? taken?.outputs ?? null }, taken?.tools),
        metadata: withSplits(body.metadata ?? {}, body.split?.length ? body.split : undefined),
        source_run_id: body.source_run_id ?? null,
        created_at: readTime(body.created_at) ?? null,
        attachments: [
          ...(source?.attachments ?? []).filter(({ name }) =>
            isWanted(body.use_source_run_attachments, name),
          ),
          ...(await storeAttachments(tx, box, tenantId, attachments)),
        ],
      });
    }
    rules.check(examples);
    checkMetadata(examples);
    await repository.writeExamples(tx, tenantId, as_of, examples.map(onceByName));
    return { count: examples.length, example_ids: examples.map(({ id }) => id), as_of };
  });
}

async function masked<Body extends ExampleCreate | ExampleUpdate>(
  known: Deps['masks'],
  tenantId: string,
  sent: Sent<Body>[],
): Promise<Sent<Body>[]> {
  const masks = await known.of(tenantId);
  if (masks.length === 0) return sent;
  return sent.map(({ id, body, attachments }) => ({
    id,
    body: maskFields(body, ['inputs', 'outputs', 'metadata'], masks),
    attachments: attachments.map((one) => maskAttachment(one, masks)),
  }));
}

/** Postgres expands numbers in metadata, so large exponents would take up much space. Throws InvalidExample. */
function checkMetadata(examples: ExampleState[]): void {
  for (const { id, metadata } of examples)
    if (markedNumbers(JSON.stringify(metadata)).some((number) => HUGE.test(number)))
      throw new InvalidExample(`Example ${id}: metadata has a number with an exponent beyond 999`);
}

const isWanted = (names: ExampleCreate['use_source_run_attachments'], name: string): boolean =>
  Array.isArray(names) ? names.includes(name) : names === true;

/** The last attachment of a name wins. */
const onceByName = (example: ExampleState): ExampleState => ({
  ...example,
  attachments: [...new Map(example.attachments.map((one) => [one.name, one])).values()],
});

async function rejectOtherDatasets(
  tx: Queryable,
  tenantId: string,
  datasetId: string,
  ids: string[],
): Promise<void> {
  if (new Set(ids).size < ids.length) throw new InvalidExample('Duplicate id');
  const known = await repository.datasetsOfExamples(tx, tenantId, ids);
  for (const [id, dataset] of known) if (dataset !== datasetId) throw new ExampleElsewhere(id);
}

async function storeAttachments(
  tx: Queryable,
  box: Deps['box'],
  tenantId: string,
  attachments: NewAttachment[],
) {
  if (attachments.length === 0) return [];
  const { statement, hashes } = blobStatement(
    box,
    tenantId,
    attachments.map(({ bytes }) => bytes),
  );
  await tx.query(statement.text, statement.values);
  return attachments.map(({ name, mime_type }, index) => ({ name, mime_type, sha256: hashes[index]! }));
}

/**
 * Updates all examples of one dataset or none. Fields that are not given stay. Throws ExampleNotFound,
 * ExampleElsewhere, InvalidExample.
 */
export async function updateExamples(
  { db, box, masks }: Deps,
  tenantId: string,
  datasetId: string,
  unmasked: Sent<ExampleUpdate>[],
): Promise<ExamplesWritten> {
  const sent = await masked(masks, tenantId, unmasked);
  return inTransaction(db, async (tx) => {
    const as_of = await nextVersion(tx, tenantId, datasetId);
    const ids = sent.map(({ id }) => id);
    await rejectOtherDatasets(tx, tenantId, datasetId, ids);
    const current = new Map((await repository.findExamples(tx, tenantId, ids)).map((row) => [row.id, row]));
    const rules = await findExampleRules(tx, tenantId, datasetId);
    const examples: ExampleState[] = [];
    for (const { id, body, attachments } of sent) {
      const before = current.get(id);
      if (!before) throw new ExampleNotFound(id);
      const added = await storeAttachments(tx, box, tenantId, attachments);
      const example = rules.transform(changed(before, body));
      examples.push({
        ...example,
        attachments: [...keptAttachments(before, body, added), ...added],
      });
    }
    rules.check(examples);
    checkMetadata(examples);
    await repository.writeExamples(tx, tenantId, as_of, examples.map(onceByName));
    return { count: examples.length, example_ids: ids, as_of };
  });
}

const changed = (
  before: ExampleState,
  { inputs, outputs, metadata, split }: ExampleUpdate,
): ExampleState => ({
  ...before,
  inputs: inputs ?? before.inputs,
  outputs: outputs === undefined ? before.outputs : outputs,
  metadata: withSplits(metadata ?? before.metadata, split, splitsOf(before.metadata)),
});

/**
 * Attachments that an update keeps. With operations: those it renames or retains. Without operations: all of them, or
 * none if the update brings new ones.
 */
function keptAttachments(
  { id, attachments }: ExampleState,
  { attachments_operations: operations }: ExampleUpdate,
  added: { name: string }[],
) {
  if (!operations) return added.length > 0 ? [] : attachments;
  const { rename = {}, retain = [] } = operations;
  for (const name of [...Object.keys(rename), ...retain])
    if (!attachments.some((one) => one.name === name))
      throw new InvalidExample(`Example ${id} has no attachment ${name.slice(0, 100)}`);
  const kept = attachments.flatMap((one) => {
    const name = Object.hasOwn(rename, one.name) ? rename[one.name]! : one.name;
    return name !== one.name || retain.includes(one.name) ? [{ ...one, name }] : [];
  });
  // A new attachment replaces a retained one of its name, but not one that takes that name now.
  const names = [...kept, ...added.filter(({ name }) => Object.values(rename).includes(name))];
  const taken = names.find(({ name }, index) => names.findIndex((one) => one.name === name) < index);
  if (taken)
    throw new InvalidExample(`Example ${id} would have two attachments named ${taken.name.slice(0, 100)}`);
  return kept;
}

/** Converts a JSON example to the form of a multipart one. */
export const sentAsJson = (body: ExampleCreate): Sent<ExampleCreate> => ({
  id: body.id ?? uuid7(),
  body,
  attachments: [],
});
