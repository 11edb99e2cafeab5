import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import type { TrafficCounts } from './traffic-counts.ts';
import { addTraffic, forgetTraffic } from './traffic-figures.ts';

export interface TrafficLedgerOptions {
  db: Database;
  log: Logger;
  counts: TrafficCounts;
  everyMs: number;
  /** Retention in days. */
  days: number;
}

const FORGET_MS = 3_600_000;

/** Writes this process's counts a few times a minute, in one statement. */
export class TrafficLedger {
  readonly #options: TrafficLedgerOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #forgotAt = Date.now();

  constructor(options: TrafficLedgerOptions) {
    this.#options = options;
    this.#ended = this.#loop();
  }

  /** Writes the last counts too. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await this.#write();
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    const { everyMs } = this.#options;
    while (!signal.aborted) {
      await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {});
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { db, log, counts, days } = this.#options;
    const taken = counts.take();
    try {
      await addTraffic(db, taken);
      if (Date.now() - this.#forgotAt < FORGET_MS) return;
      this.#forgotAt = Date.now();
      await forgetTraffic(db, days);
    } catch (error) {
      counts.putBack(taken);
      log.warn({ err: error }, 'could not write traffic counts; will retry');
    }
  }
}
