import type { PoolClient } from 'pg';
import type { Database } from '../../platform/db/database.ts';

/**
 * A lock that one process per host can hold. It is released when its database connection ends, and so with the process.
 */
export class HostLock {
  readonly #db: Database;
  readonly #host: string;
  #client: PoolClient | undefined;

  constructor(db: Database, host: string) {
    this.#db = db;
    this.#host = host;
  }

  /** Takes the lock if it is free; returns whether this process holds it. */
  async take(): Promise<boolean> {
    if (this.#client) return true;
    const client = await this.#db.connect();
    if (!(await this.#try(client))) return false;
    // Stays attached: a broken connection may emit several errors, and an unhandled one ends the process.
    client.on('error', () => this.release());
    this.#client = client;
    return true;
  }

  get isHeld(): boolean {
    return this.#client !== undefined;
  }

  release(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }

  async #try(client: PoolClient): Promise<boolean> {
    try {
      const { rows } = await client.query<{ chosen: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as chosen',
        [`slipway/instances/${this.#host}`],
      );
      if (!rows[0]!.chosen) client.release();
      return rows[0]!.chosen;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}
