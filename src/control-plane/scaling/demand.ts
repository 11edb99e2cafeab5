import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { noteRequests, wakeRevision } from './scale-repository.ts';

const FLUSH_MS = 1_000;

/** What a gateway knows of who is asked for: it keeps revisions awake, and wakes those that sleep. */
export class Demand {
  readonly #db: Database;
  readonly #log: Logger;
  /** Requests and open connections of each revision. */
  readonly #open = new Map<string, number>();
  readonly #asked = new Set<string>();
  readonly #waking = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS).unref();
  }

  /** A request begins; it ends by what is returned. Until then the revision stays awake. */
  begin(revisionId: string): () => void {
    this.#asked.add(revisionId);
    this.#open.set(revisionId, (this.#open.get(revisionId) ?? 0) + 1);
    return () => {
      this.#asked.add(revisionId);
      const left = this.#open.get(revisionId)! - 1;
      if (left > 0) this.#open.set(revisionId, left);
      else this.#open.delete(revisionId);
    };
  }

  /** Asks for a revision of which nothing runs; however many requests wait for it, it is asked for once in a while. */
  wake(revisionId: string): void {
    if (this.#waking.has(revisionId)) return;
    this.#waking.add(revisionId);
    wakeRevision(this.#db, revisionId).catch((error: unknown) => {
      this.#waking.delete(revisionId);
      this.#log.warn({ err: error, revision_id: revisionId }, 'a revision that sleeps could not be woken');
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #flush(): Promise<void> {
    this.#waking.clear();
    const ids = [...new Set([...this.#asked, ...this.#open.keys()])];
    this.#asked.clear();
    if (ids.length === 0) return;
    try {
      await noteRequests(this.#db, ids);
    } catch (error) {
      for (const id of ids) this.#asked.add(id);
      this.#log.warn({ err: error }, 'requests could not be noted');
    }
  }
}
