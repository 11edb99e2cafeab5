import type { Statement } from '../../platform/db/database.ts';
import type { StoreOperation } from '../../graph-protocol/store-messages.ts';
import type { Embedder } from './embedder.ts';
import type { ItemRow } from './store-repository.ts';
import type { VectorMath } from './vector-math.ts';

/** `store.index` of the project: what is embedded, and how. */
export interface IndexConfig {
  dims: number;
  embed: string;
}

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
