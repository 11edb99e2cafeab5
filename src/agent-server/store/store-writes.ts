import type { Statement } from '../../platform/db/database.ts';
import { textsAt } from './item-texts.ts';
import type { ItemPut } from './store-item.ts';
import type { Step, StoreIndex, StoreOperation } from './store-operation.ts';
import {
  idOf,
  itemsDelete,
  itemsLock,
  itemsUpsert,
  storedName,
  type StoredName,
} from './store-repository.ts';
import { storedJson } from './stored-json.ts';
import { type ItemVectors, vectorsDelete, vectorsInsert } from './vector-repository.ts';

/** The writes of a batch, of which the last one of each item counts. */
export interface Writes {
  operations: readonly StoreOperation[];
  index?: StoreIndex | undefined;
  /** Minutes for items written without a ttl. */
  defaultTtl?: number | undefined;
}

interface Put {
  name: StoredName;
  put: ItemPut;
}

// Four parameters each, of the 65,535 that a statement may have.
const MOST_ROWS = 10_000;

/** Embeds what is to be embedded, then says how to write all of it. */
export async function writeSteps({ operations, index, defaultTtl }: Writes): Promise<Step[]> {
  const { puts, deletes, names } = lastWrites(operations);
  const vectors = index ? await embedItems(index, puts) : [];
  const statements: Statement[] = [];
  if (names.length > 1) statements.push(itemsLock(names));
  for (let start = 0; start < puts.length; start += MOST_ROWS) {
    const items = puts.slice(start, start + MOST_ROWS).map(({ name, put: { value, ttl } }) => ({
      name,
      value: storedJson(value),
      ttl: ttl === undefined ? (defaultTtl ?? null) : ttl,
    }));
    statements.push(itemsUpsert(items));
  }
  if (index && puts.length > 0) statements.push(vectorsDelete(puts.map(({ name }) => name)));
  if (index && vectors.length > 0) statements.push(vectorsInsert(vectors, index.embedder.model));
  if (deletes.length > 0) statements.push(itemsDelete(deletes));
  return statements.map((statement) => ({ statement }));
}

/** In one order for all, so that batches that write the same items wait for each other instead of failing. */
function lastWrites(operations: readonly StoreOperation[]) {
  const last = new Map<string, { name: StoredName; put?: ItemPut }>();
  for (const operation of operations) {
    if (operation.action !== 'put' && operation.action !== 'delete') continue;
    const name = storedName(operation);
    last.set(idOf(name), operation.action === 'put' ? { name, put: operation } : { name });
  }
  const writes = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
  return {
    names: writes.map(({ name }) => name),
    puts: writes.flatMap(({ name, put }): Put[] => (put ? [{ name, put }] : [])),
    deletes: writes.flatMap(({ name, put }) => (put ? [] : [name])),
  };
}

async function embedItems({ embedder, fields }: StoreIndex, puts: Put[]): Promise<ItemVectors[]> {
  const texts = puts.map(({ put: { value, index } }) =>
    index === false ? [] : textsAt(value, index ?? fields),
  );
  const vectors = await embedder.embedTexts(texts.flat());
  let next = 0;
  return puts
    .map(({ name }, i) => ({ name, vectors: vectors.slice(next, (next += texts[i]!.length)) }))
    .filter((item) => item.vectors.length > 0);
}
