import { type Database, inTransaction } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { ExampleNotFound } from '../errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { findExampleRules } from './rules/example-rules.ts';
import { nextVersion } from './dataset-versions.ts';
import { type ExampleRow, splitsOf } from './example.ts';
import * as repository from './example-repository.ts';
import { type ExamplesWritten, updateExamples } from './example-service.ts';

/** Adds examples to a split or removes them. Throws ExampleNotFound, ExampleElsewhere. */
export async function changeSplit(
  deps: Pick<TracingDeps, 'db' | 'box' | 'masks'>,
  tenantId: string,
  datasetId: string,
  { split, ids, remove }: { split: string; ids: string[]; remove: boolean },
): Promise<void> {
  const rows = await repository.findExamples(deps.db, tenantId, ids);
  const sent = rows.flatMap(({ id, metadata }) => {
    const splits = splitsOf(metadata);
    if (splits.includes(split) !== remove) return [];
    const next = remove ? splits.filter((one) => one !== split) : [...splits, split];
    return [{ id, body: { metadata: withoutSplits(metadata), split: next }, attachments: [] }];
  });
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing) throw new ExampleNotFound(missing);
  if (sent.length > 0) await updateExamples(deps, tenantId, datasetId, sent);
}

const withoutSplits = ({ dataset_split: _splits, ...metadata }: JsonObject): JsonObject => metadata;

/** Copies examples to another dataset under new ids. Throws DatasetNotFound, InvalidExample. */
export async function copyExamples(
  db: Database,
  tenantId: string,
  datasetId: string,
  rows: ExampleRow[],
): Promise<ExamplesWritten> {
  return inTransaction(db, async (tx) => {
    const as_of = await nextVersion(tx, tenantId, datasetId);
    const rules = await findExampleRules(tx, tenantId, datasetId);
    const own = { dataset_id: datasetId, created_at: null };
    const examples = rows.map((row) => rules.transform({ ...row, ...own, id: uuid7() }));
    rules.check(examples);
    await repository.writeExamples(tx, tenantId, as_of, examples);
    return { count: examples.length, example_ids: examples.map(({ id }) => id), as_of };
  });
}
