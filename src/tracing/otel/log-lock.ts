import { type Database, inTransaction } from '../../platform/db/database.ts';

// An arbitrary namespace for these advisory locks.
const LOGS = 1_407_002;

/** Serialises requests that extend existing runs, across processes, so that each reads the previous one's result. */
export class LogLock {
  readonly #db: Database;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Queues requests within the process, so that waiting ones hold no connections. */
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
