import { type Database, inTransaction, type Queryable } from '../../src/platform/db/database.ts';
import { until } from './until.ts';

/**
 * Runs `hold` in a transaction, starts the works one by one until each waits for a lock, then commits: what a work
 * read before its lock is out of date when it gets it. Returns their results.
 */
export async function behindLocks<Result>(
  db: Database,
  hold: (tx: Queryable) => Promise<unknown>,
  works: (() => Promise<Result>)[],
): Promise<PromiseSettledResult<Result>[]> {
  const { started } = await inTransaction(db, async (tx) => {
    await hold(tx);
    const started: Promise<PromiseSettledResult<Result>[]>[] = [];
    for (const work of works) {
      started.push(Promise.allSettled([work()]));
      await until(`work ${started.length} waits for a lock`, async () => {
        const { rowCount } = await db.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rowCount! >= started.length;
      });
    }
    return { started };
  });
  return (await Promise.all(started)).flat();
}
