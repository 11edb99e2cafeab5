import type { Logger } from 'pino';
import type { Queryable } from '../../platform/db/database.ts';
import { stillInFlight } from '../records/in-flight-repository.ts';

/**
 * Fallback for missed notifications: polls which of the followed runs have ended, in one query for the whole process.
 */
export class StatusPoll {
  readonly #db: Queryable;
  readonly #everyMs: number;
  readonly #log: Logger;
  readonly #watched = new Map<string, Set<() => void>>();
  #foundEnded = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Queryable, everyMs: number, log: Logger) {
    this.#db = db;
    this.#everyMs = everyMs;
    this.#log = log;
  }

  /** Calls `onEnded` whenever a poll finds the run ended, until the returned function is called. */
  watch(runId: string, onEnded: () => void): () => void {
    const callbacks = this.#watched.get(runId) ?? new Set();
    this.#watched.set(runId, callbacks.add(onEnded));
    this.#timer ??= setInterval(() => void this.#ask(), this.#everyMs).unref();
    return () => {
      callbacks.delete(onEnded);
      if (callbacks.size === 0) this.#watched.delete(runId);
      if (this.#watched.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #ask(): Promise<void> {
    const runIds = [...this.#watched.keys()];
    try {
      const open = await stillInFlight(this.#db, runIds);
      const ended = runIds.filter((runId) => !open.has(runId));
      // Reported at the second poll, as the notification may still be in transit at the first.
      for (const runId of ended.filter((id) => this.#foundEnded.has(id))) {
        for (const onEnded of this.#watched.get(runId) ?? []) onEnded();
      }
      this.#foundEnded = new Set(ended);
    } catch (error) {
      this.#log.warn({ err: error }, 'could not read run statuses; retrying');
    }
  }
}
