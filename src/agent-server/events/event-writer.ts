import type { Queryable } from '../../platform/db/database.ts';
import { RunFenced } from '../errors.ts';
import { packEvents, type RunEvent, threadChannel } from './event-frame.ts';
import type { EventClock } from './event-id.ts';
import { type Fence, notifyFenced, storeFenced } from './event-repository.ts';

// Beyond this many characters waiting, the graph is made to wait for Postgres.
const HIGH_WATER = 4 * 1024 * 1024;
// What one statement carries at the most.
const MOST_EVENTS = 2_000;

export interface EventWriterOptions {
  db: Queryable;
  fence: Fence;
  threadId: string;
  clock: EventClock;
  /** Resumable runs keep their events; of others only what is too large for a notification is stored. */
  resumable: boolean;
}

/**
 * The event log of one attempt at a run. Flushes at once when nothing is in flight; otherwise everything gathered
 * since goes out in the next statement.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #waiting: RunEvent[] = [];
  #waitingChars = 0;
  #flushing: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Returns a promise when the caller should wait before it writes more; throws when the log failed. */
  write(event: string, data: string): Promise<void> | undefined {
    if (this.#failure) throw this.#failure as Error;
    this.#waiting.push({ id: this.#options.clock.next(), event, data });
    this.#waitingChars += data.length;
    this.#flushing ??= this.#flush();
    return this.#waitingChars > HIGH_WATER ? this.#flushing : undefined;
  }

  /** Settles when everything written is out. Throws RunFenced when another attempt took the run over. */
  async close(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#failure) throw this.#failure as Error;
  }

  async #flush(): Promise<void> {
    // One turn of the loop, so that what the graph emits together goes out together.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#waiting.length > 0 && !this.#failure) {
        const batch = this.#waiting.splice(0, MOST_EVENTS);
        this.#waitingChars = this.#waiting.reduce((sum, { data }) => sum + data.length, 0);
        await this.#send(batch);
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#flushing = undefined;
    }
  }

  async #send(batch: RunEvent[]): Promise<void> {
    const { db, fence, threadId, resumable } = this.#options;
    const channel = threadChannel(threadId);
    const { payloads, oversized } = packEvents(fence.run_id, batch);
    const stored = resumable ? batch : oversized;
    const held =
      stored.length > 0
        ? await storeFenced(db, fence, threadId, stored, channel, payloads)
        : await notifyFenced(db, fence, channel, payloads);
    if (!held) throw new RunFenced(fence.run_id);
  }
}
