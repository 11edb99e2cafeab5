import type { Queryable } from '../../platform/db/database.ts';
import { RunFenced } from '../errors.ts';
import { packEvents, type RunEvent, threadChannel } from './event-frame.ts';
import type { EventClock } from './event-id.ts';
import { type Fence, notifyFenced, storeFenced } from './event-repository.ts';

// Beyond this many buffered characters, the graph has to wait for Postgres.
const HIGH_WATER = 4 * 1024 * 1024;
// Limit per statement.
const MOST_EVENTS = 2_000;
// Limits of the events that `take` returns.
const MOST_LEFT_EVENTS = 100;
const MOST_LEFT_CHARS = 256 * 1024;

export interface EventWriterOptions {
  db: Queryable;
  fence: Fence;
  threadId: string;
  clock: EventClock;
  /** Store all events; otherwise only those too large for a notification. */
  resumable: boolean;
}

/**
 * Writes the events of one attempt at a run. Flushes immediately when idle; events that arrive during a flush go out
 * together in the next.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #waiting: RunEvent[] = [];
  #waitingChars = 0;
  #flushing: Promise<void> | undefined;
  #failure: unknown;
  #isLeft = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Returns a promise if the caller should wait before it writes more. Throws if an earlier flush failed. */
  write(event: string, data: string): Promise<void> | undefined {
    if (this.#failure) throw this.#failure as Error;
    this.#waiting.push({ id: this.#options.clock.next(), event, data });
    this.#waitingChars += data.length;
    this.#flushing ??= this.#flush();
    return this.#waitingChars > HIGH_WATER ? this.#flushing : undefined;
  }

  /** Settles when all events are flushed. Throws RunFenced if another attempt took over the run. */
  async close(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#failure) throw this.#failure as Error;
  }

  /** Returns unpublished events for the caller to publish; many are published here. Throws what `close` throws. */
  async take(): Promise<RunEvent[]> {
    this.#isLeft = true;
    await this.close();
    this.#isLeft = false;
    this.#waitingChars = 0;
    return this.#waiting.splice(0);
  }

  /** Whether to send the waiting events now. */
  get #isDue(): boolean {
    const { length } = this.#waiting;
    if (this.#isLeft) return length > MOST_LEFT_EVENTS || this.#waitingChars > MOST_LEFT_CHARS;
    return length > 0;
  }

  async #flush(): Promise<void> {
    // Wait one turn of the event loop to batch what the graph emits together.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#isDue && !this.#failure) {
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
