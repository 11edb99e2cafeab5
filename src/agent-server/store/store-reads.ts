import { passesFilter, type RowFilter } from '../../platform/db/row-filter.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { Vector } from './embedder.ts';
import { namespacesSelect } from './namespace-listing.ts';
import { ItemNotFound } from './store-errors.ts';
import { filteredFields } from './store-item.ts';
import { decodeNamespace } from './store-namespace.ts';
import { only, type Step, type StoreIndex } from './store-operation.ts';
import type { StoreOperation, StoreResult } from '../../graph-protocol/store-messages.ts';
import {
  idOf,
  type ItemRow,
  itemsSearch,
  itemsSelect,
  storedName,
  toFoundItem,
  toItem,
} from './store-repository.ts';
import { storedJson } from './stored-json.ts';
import { similarItems } from './vector-repository.ts';

/** The reads of a batch: the index they use, and where their results go. */
export interface Reads {
  operations: readonly StoreOperation[];
  results: StoreResult[];
  index?: StoreIndex | undefined;
  reach?: RowFilter | undefined;
  /** Called with the items read, and the operation's `refresh_ttl`. */
  onRead(rows: ItemRow[], refresh: boolean | undefined): void;
}

export const readSteps = async (reads: Reads): Promise<Step[]> => [
  ...getSteps(reads),
  ...listSteps(reads),
  ...(await searchSteps(reads)),
];

function getSteps({ operations, results, reach, onRead }: Reads): Step[] {
  const gets = only(operations, 'get').map((get) => ({ ...get, name: storedName(get.operation) }));
  const names = new Map(gets.map(({ name }) => [idOf(name), name]));
  if (names.size === 0) return [];
  const take = (rows: ItemRow[]) => {
    const found = new Map(rows.map((row) => [idOf([row.namespace, row.key]), row]));
    for (const { place, operation, name } of gets) {
      const row = found.get(idOf(name));
      if (row && !passesFilter(filteredFields(toItem(row)), reach)) throw new ItemNotFound();
      if (row) onRead([row], operation.refresh_ttl);
      results[place] = row ? toItem(row) : null;
    }
  };
  return [{ statement: itemsSelect([...names.values()]), take }];
}

const listSteps = ({ operations, results, reach }: Reads): Step[] =>
  only(operations, 'list_namespaces').map(({ place, operation }) => ({
    statement: namespacesSelect({ ...operation, reach }),
    take: (rows) => (results[place] = rows.map(({ namespace }) => decodeNamespace(namespace))),
  }));

async function searchSteps({ operations, results, index, reach, onRead }: Reads): Promise<Step[]> {
  const searches = only(operations, 'search');
  const vectors = await embedQueries(
    index,
    searches.map(({ operation }) => operation.query),
  );
  return searches.map(({ place, operation }) => {
    const { namespace_prefix: prefix, filter, limit, offset, query, refresh_ttl } = operation;
    const selection = { prefix, filter: filter && (JSON.parse(storedJson(filter)) as JsonObject), reach };
    const vector = vectors.get(query);
    const statement =
      index && vector
        ? similarItems(index.math, { selection, query: vector, model: index.embedder.model, limit, offset })
        : itemsSearch(selection, limit, offset);
    const take = (rows: ItemRow[]) => {
      onRead(rows, refresh_ttl);
      results[place] = rows.map(toFoundItem);
    };
    return { statement, take };
  });
}

/** The vector of each query; undefined for empty queries. */
async function embedQueries(index: StoreIndex | undefined, queries: (string | undefined)[]) {
  const asked = index ? [...new Set(queries)].filter((query) => query?.trim()) : [];
  const vectors = await Promise.all(asked.map((query) => index!.embedder.embedQuery(query!)));
  return new Map<string | undefined, Vector>(asked.map((query, i) => [query, vectors[i]!]));
}
