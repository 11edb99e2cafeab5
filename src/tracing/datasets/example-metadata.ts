import { type Static, Type } from 'typebox';
import { type Database, inTransaction } from '../../platform/db/database.ts';
import { type JsonObject, StringEnum } from '../../platform/schema.ts';
import { nextVersion } from './dataset-versions.ts';
import { DEFAULT_SPLIT, SPLIT_KEY } from './example.ts';
import * as repository from './example-repository.ts';

/** A metadata change: `SET` replaces a value, the others edit a list (contract §1.13). */
export const MetadataOperation = Type.Object({
  // Older clients send lower case.
  operation: StringEnum(['SET', 'ARRAY_ADD', 'ARRAY_REMOVE', 'set', 'array_add', 'array_remove']),
  key: Type.String({ minLength: 1, maxLength: 255 }),
  value: Type.Optional(Type.Unknown()),
  values: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1_000 })),
});
export type MetadataOperation = Static<typeof MetadataOperation>;

/** Ignores examples outside the dataset. Returns the updated ones. Throws DatasetNotFound. */
export async function changeMetadata(
  db: Database,
  tenantId: string,
  datasetId: string,
  ids: string[],
  operations: MetadataOperation[],
): Promise<Set<string>> {
  return inTransaction(db, async (tx) => {
    const as_of = await nextVersion(tx, tenantId, datasetId);
    const found = await repository.findExamples(tx, tenantId, ids);
    const examples = found
      .filter(({ dataset_id }) => dataset_id === datasetId)
      .map((example) => ({ ...example, metadata: operations.reduce(applied, example.metadata) }));
    if (examples.length > 0) await repository.writeExamples(tx, tenantId, as_of, examples);
    return new Set(examples.map(({ id }) => id));
  });
}

function applied(
  metadata: JsonObject,
  { operation, key, value, values = [] }: MetadataOperation,
): JsonObject {
  const name = operation.toUpperCase();
  if (name === 'SET') return { ...metadata, [key]: value ?? null };
  const before = metadata[key];
  const list: unknown[] = Array.isArray(before) ? before : key === SPLIT_KEY ? [DEFAULT_SPLIT] : [];
  const rest = list.filter((item) => !values.includes(item as string));
  return {
    ...metadata,
    [key]: name === 'ARRAY_ADD' ? [...list, ...values.filter((item) => !list.includes(item))] : rest,
  };
}
