import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { noteRequests, wakeRevision } from './scale-repository.ts';

const FLUSH_MS = 1_000;

/** A gateway's view of demand: keeps revisions awake and wakes sleeping ones. */
export class Demand {
  readonly #db: Database;
  readonly #log: Logger;
  /** Open requests and connections per revision. */
  readonly #open = new Map<string, number>();
  readonly #asked = new Set<string>();
  readonly #waking = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(db: Database, log: Logger) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS).unref();
  }

  /** Counts an open request, which keeps the revision awake; call the result when it ends. */
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

  /** Wakes a sleeping revision; throttled, however many requests wait. */
  wake(revisionId: string): void {
    if (this.#waking.has(revisionId)) return;
    this.#waking.add(revisionId);
    wakeRevision(this.#db, revisionId).catch((error: unknown) => {
      this.#waking.delete(revisionId);
      this.#log.warn({ err: error, revision_id: revisionId }, 'could not wake a sleeping revision');
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
      this.#log.warn({ err: error }, 'could not record requests');
    }
  }
}
