import { type EventId, isAfter } from '../events/event-id.ts';
import type { Envelope } from './envelope.ts';

/**
 * Puts what several readers of one thread's log tell into one order, each event once: an event waits until all of them
 * have read as far, for what any of them is yet to tell may come before it.
 */
export class EventOrder {
  /** By `event_id`. */
  readonly #waiting = new Map<string, { event: Envelope; at: EventId }>();

  /** What a reader told when it had read up to `at`. */
  add(events: readonly Envelope[], at: EventId): void {
    for (const event of events)
      if (!this.#waiting.has(event.event_id)) this.#waiting.set(event.event_id, { event, at });
  }

  /** The one that waits longest. */
  get oldest(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  /** Takes out what is up to where every reader is; all of it where nothing is said of readers. */
  take(readers: readonly EventId[] = []): Envelope[] {
    const due = [...this.#waiting.values()].filter(
      ({ at }) => !readers.some((reader) => isAfter(at, reader)),
    );
    for (const { event } of due) this.#waiting.delete(event.event_id);
    return due.map(({ event }) => event).sort((one, other) => one.seq - other.seq);
  }
}
