import { type Database, inTransaction } from '../../platform/db/database.ts';

// Any constant will do; it keeps these locks apart from others.
const LOGS = 1_407_002;

/** Lets one request at a time add to what runs have, across processes: each reads what the one before it wrote. */
export class LogLock {
  readonly #db: Database;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Requests of one process wait in line, so that they do not hold connections while they wait. */
  hold<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    const locked = () =>
      inTransaction(this.#db, async (tx) => {
        await tx.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOGS, tenantId]);
        return work();
      });
    const held = this.#last.then(locked, locked);
    this.#last = held;
    return held;
  }
}
