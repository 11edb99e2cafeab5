import { type Database, inTransaction, type Queryable, sqlState } from '../../platform/db/database.ts';
import { listWeeks, LOCK_NOT_AVAILABLE } from '../retention/weeks.ts';

// Somebody uses a week just now, or it went as a whole: what there is to give back, is with the next turn.
const NO_TABLE = '42P01';
const LATER = [LOCK_NOT_AVAILABLE, NO_TABLE];

/** Gives back what the rows and indexes of weeks took that are over and packed as a whole; others use theirs again. */
export async function emptyWeeks(db: Database, before: string): Promise<void> {
  for (const { table, until } of await listWeeks(db, 'run')) {
    if (until > before) return;
    try {
      // Holds nothing when it locks: two that hold the week would wait for each other.
      if (await hasRoomAlone(db, table)) await inTransaction(db, (tx) => empty(tx, table));
    } catch (error) {
      if (!LATER.includes(sqlState(error) ?? '')) throw error;
    }
  }
}

async function hasRoomAlone(db: Queryable, table: string): Promise<boolean> {
  const { rows } = await db.query<{ size: number; held: boolean }>(
    `select pg_relation_size($1) as size, exists (select from tracing.${table}) as held`,
    [`tracing.${table}`],
  );
  return rows[0]!.size > 0 && !rows[0]!.held;
}

async function empty(tx: Queryable, table: string): Promise<void> {
  // Whoever writes does not wait for it for more than a moment.
  await tx.query(`set local lock_timeout = '2s'`);
  await tx.query(`lock table tracing.${table} in access exclusive mode`);
  if (await hasRoomAlone(tx, table)) await tx.query(`truncate tracing.${table}`);
}
