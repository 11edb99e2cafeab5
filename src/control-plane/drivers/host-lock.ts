import type { PoolClient } from 'pg';
import type { Database } from '../../platform/db/database.ts';

/** Of all processes of a host, one has it: a lock that goes with its connection, and so with the process. */
export class HostLock {
  readonly #db: Database;
  readonly #host: string;
  #client: PoolClient | undefined;

  constructor(db: Database, host: string) {
    this.#db = db;
    this.#host = host;
  }

  /** Whether this process has it by now. */
  async take(): Promise<boolean> {
    if (this.#client) return true;
    const client = await this.#db.connect();
    if (!(await this.#try(client))) return false;
    // A connection that breaks may say so more than once, and nobody else listens.
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
