import type { Statement } from '../../platform/db/database.ts';
import type { StoreOperation } from '../../graph-protocol/store-messages.ts';
import type { Embedder } from './embedder.ts';
import type { ItemRow } from './store-repository.ts';
import type { VectorMath } from './vector-math.ts';

/** The project's `store.index`: which fields are embedded, and how. */
export interface IndexConfig {
  dims: number;
  embed: string;
}

/** A store's embedding source and how its vectors are compared. */
export interface StoreIndex {
  embedder: Embedder;
  /** Default paths to embed, for items that name none. */
  fields: readonly string[];
  math: VectorMath;
}

/** A statement of a batch, and how to handle its rows. */
export interface Step {
  statement: Statement;
  take?(rows: ItemRow[]): void;
}

/** An operation with its position in the batch. */
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
