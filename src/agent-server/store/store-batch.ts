import { type Database, inPipeline, inTransaction } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import type { Step, StoreIndex } from './store-operation.ts';
import type { StoreOperation, StoreResult } from '../../graph-protocol/store-messages.ts';
import { readSteps } from './store-reads.ts';
import { type ItemRow, renewExpiry } from './store-repository.ts';
import { writeSteps } from './store-writes.ts';

export interface StoreBatchOptions {
  db: Database;
  index?: StoreIndex | undefined;
  /** Minutes; for items written without a ttl. */
  defaultTtl?: number | undefined;
  /** Whether a read restarts an item's ttl, unless the operation says otherwise. */
  refreshOnRead: boolean;
}

/**
 * With `reach`, the whole batch fails with ItemNotFound if any operation names an item that doesn't pass; searches
 * and listings skip such items.
 */
export type RunBatch = (operations: readonly StoreOperation[], reach?: RowFilter) => Promise<StoreResult[]>;

/**
 * Creates the function that runs a batch: reads see the state before the batch, and the last write of each item wins.
 * A batch is one transaction in one round trip, whatever its size; embeddings are computed before it, and the ttl of
 * items that were read is renewed after it.
 */
export function storeBatch({ db, index, defaultTtl, refreshOnRead }: StoreBatchOptions): RunBatch {
  return async (operations, reach) => {
    const results: StoreResult[] = operations.map(() => undefined);
    const expiring = new Set<number>();
    const onRead = (rows: ItemRow[], refresh = refreshOnRead) => {
      for (const row of rows) if (refresh && row.expiring) expiring.add(row.item_id);
    };
    const [reads, writes] = await Promise.all([
      readSteps({ operations, results, index, reach, onRead }),
      writeSteps({ operations, index, defaultTtl, reach }),
    ]);
    const steps = [...reads, ...writes];
    await (reach && writes.length > 0 ? carryOutInTurn(db, steps) : carryOut(db, steps));
    if (expiring.size > 0) await renewExpiry(db, [...expiring]);
    return results;
  };
}

async function carryOut(db: Database, steps: Step[]): Promise<void> {
  const [first] = steps;
  if (steps.length === 1 && first) {
    const { rows } = await db.query<ItemRow>(first.statement.text, first.statement.values);
    first.take?.(rows);
  } else if (first) {
    const rows = await inPipeline<ItemRow[][]>(
      db,
      steps.map(({ statement }) => statement),
    );
    steps.forEach(({ take }, i) => take?.(rows[i]!));
  }
}

/** Runs the steps in turn, where a step's result may roll back the earlier ones. */
const carryOutInTurn = (db: Database, steps: Step[]): Promise<void> =>
  inTransaction(db, async (tx) => {
    for (const { statement, take } of steps) {
      const { rows } = await tx.query<ItemRow>(statement.text, statement.values);
      take?.(rows);
    }
  });
