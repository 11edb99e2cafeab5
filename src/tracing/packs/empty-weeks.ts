import { type Database, inTransaction, sqlState } from '../../platform/db/database.ts';
import { listWeeks } from '../retention/weeks.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** Gives back what the rows and indexes of weeks took that are over and packed as a whole; others use theirs again. */
export async function emptyWeeks(db: Database, before: string): Promise<void> {
  for (const { table, until } of await listWeeks(db, 'run')) {
    if (until > before) return;
    try {
      await inTransaction(db, async (tx) => {
        const { rows } = await tx.query<{ size: number; held: boolean }>(
          `select pg_relation_size($1) as size, exists (select from tracing.${table}) as held`,
          [`tracing.${table}`],
        );
        if (rows[0]!.size === 0 || rows[0]!.held) return;
        // Whoever writes does not wait for it for more than a moment.
        await tx.query(`set local lock_timeout = '2s'`);
        await tx.query(`lock table tracing.${table} in access exclusive mode`);
        const { rows: late } = await tx.query(`select from tracing.${table} limit 1`);
        if (late.length === 0) await tx.query(`truncate tracing.${table}`);
      });
    } catch (error) {
      // Somebody uses it just now: it goes with the next turn.
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}
