import type { RowFilter } from '../../platform/db/row-filter.ts';
import { textsAt } from './item-texts.ts';
import { ItemNotFound } from './store-errors.ts';
import type { Step, StoreIndex } from './store-operation.ts';
import type { ItemPut, StoreOperation } from '../../graph-protocol/store-messages.ts';
import {
  idOf,
  itemsDelete,
  itemsSelect,
  itemsUpsert,
  storedName,
  type StoredName,
} from './store-repository.ts';
import { storedJson } from './stored-json.ts';
import { type ItemVectors, vectorsDelete, vectorsInsert } from './vector-repository.ts';

/** The writes of a batch; the last one of each item wins. */
export interface Writes {
  operations: readonly StoreOperation[];
  index?: StoreIndex | undefined;
  /** Minutes; for items written without a ttl. */
  defaultTtl?: number | undefined;
  reach?: RowFilter | undefined;
}

interface Put {
  name: StoredName;
  put: ItemPut;
}

// Four parameters each, out of the 65,535 that a statement allows.
const MOST_ROWS = 10_000;

/** Computes the embeddings, then returns the statements that write the items. */
export async function writeSteps({ operations, index, defaultTtl, reach }: Writes): Promise<Step[]> {
  const writes = lastWrites(operations);
  const puts = writes.flatMap(({ name, put }): Put[] => (put ? [{ name, put }] : []));
  const deleted = writes.flatMap(({ name, put }) => (put ? [] : [name]));
  const vectors = index ? await embedItems(index, puts) : [];
  const steps: Step[] = [];
  // In a batch with other writes, upsert items before deleting them: the upsert then locks all items in one order,
  // whether or not they exist, so concurrent batches wait for each other instead of deadlocking.
  const upserted = writes.length > 1 ? writes : puts;
  for (let start = 0; start < upserted.length; start += MOST_ROWS) {
    const items = upserted.slice(start, start + MOST_ROWS).map(({ name, put }) => ({
      name,
      value: put ? storedJson(put.value) : '{}',
      ttl: put?.ttl === undefined ? (defaultTtl ?? null) : put.ttl,
    }));
    const take = (rows: unknown[]) => {
      if (reach && rows.length < items.length) throw new ItemNotFound();
    };
    steps.push({ statement: itemsUpsert(items, reach), take });
  }
  if (index && puts.length > 0) steps.push({ statement: vectorsDelete(puts.map(({ name }) => name)) });
  if (index && vectors.length > 0) steps.push({ statement: vectorsInsert(vectors, index.embedder.model) });
  if (deleted.length > 0) steps.push(...deleteSteps(deleted, reach));
  return steps;
}

function deleteSteps(names: StoredName[], reach: RowFilter | undefined): Step[] {
  const removal = { statement: itemsDelete(names, reach) };
  if (!reach) return [removal];
  const take = (left: unknown[]) => {
    if (left.length > 0) throw new ItemNotFound();
  };
  return [removal, { statement: itemsSelect(names), take }];
}

interface Write {
  name: StoredName;
  /** Undefined for a delete. */
  put: ItemPut | undefined;
}

/** The last write of each item, in the same order for all batches. */
function lastWrites(operations: readonly StoreOperation[]): Write[] {
  const last = new Map<string, Write>();
  for (const operation of operations) {
    if (operation.action !== 'put' && operation.action !== 'delete') continue;
    const name = storedName(operation);
    last.set(idOf(name), { name, put: operation.action === 'put' ? operation : undefined });
  }
  return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, write]) => write);
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
