import { type EventId, isAfter } from '../events/event-id.ts';
import type { Envelope } from './envelope.ts';

/**
 * Merges the events of several readers of one thread's log into a single order without duplicates. Holds each event
 * until every reader has read that far, because a slower reader may still produce an earlier one.
 */
export class EventOrder {
  /** By `event_id`. */
  readonly #waiting = new Map<string, { event: Envelope; at: EventId }>();

  /** Adds the events a reader produced by the time it had read up to `at`. */
  add(events: readonly Envelope[], at: EventId): void {
    for (const event of events)
      if (!this.#waiting.has(event.event_id)) this.#waiting.set(event.event_id, { event, at });
  }

  /** The event that has waited longest. */
  get oldest(): string | undefined {
    return this.#waiting.keys().next().value;
  }

  /** Removes and returns the events that every reader has passed; all of them if no readers are given. */
  take(readers: readonly EventId[] = []): Envelope[] {
    const due = [...this.#waiting.values()].filter(
      ({ at }) => !readers.some((reader) => isAfter(at, reader)),
    );
    for (const { event } of due) this.#waiting.delete(event.event_id);
    return due.map(({ event }) => event).sort((one, other) => one.seq - other.seq);
  }
}
