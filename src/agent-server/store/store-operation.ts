import type { Statement } from '../../platform/db/database.ts';
import type { Embedder } from '../../graph-host/store/embeddings.ts';
import type { FoundItem, ItemGet, ItemName, ItemPut, ItemSearch, StoreItem } from './store-item.ts';
import type { NamespaceSelection } from './namespace-listing.ts';
import type { ItemRow } from './store-repository.ts';
import type { VectorMath } from './vector-math.ts';

/** What can be asked of a store. The result is in the same place of the batch's results. */
export type StoreOperation =
  | ({ action: 'get' } & ItemGet)
  | ({ action: 'search' } & ItemSearch)
  | ({ action: 'list_namespaces' } & NamespaceSelection)
  | ({ action: 'put' } & ItemPut)
  | ({ action: 'delete' } & ItemName);

/** An item or null of `get`, items of `search`, namespaces of `list_namespaces`, undefined of writes. */
export type StoreResult = StoreItem | null | FoundItem[] | string[][] | undefined;

/** Where a store's embeddings come from and how they are compared. */
export interface StoreIndex {
  embedder: Embedder;
  /** Paths embedded of items that name none themselves. */
  fields: readonly string[];
  math: VectorMath;
}

/** A statement of a batch, and what its rows mean. */
export interface Step {
  statement: Statement;
  take?(rows: ItemRow[]): void;
}

/** An operation with its place in the batch. */
export interface Placed<Action extends StoreOperation['action']> {
  place: number;
  operation: StoreOperation & { action: Action };
}

export const only = <Action extends StoreOperation['action']>(
  operations: readonly StoreOperation[],
  action: Action,
): Placed<Action>[] =>
  operations.flatMap((operation, place) =>
    operation.action === action ? [{ place, operation: operation as Placed<Action>['operation'] }] : [],
  );
