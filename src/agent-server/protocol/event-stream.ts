import type { RowFilter } from '../../platform/db/row-filter.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { type EventId, isAfter, START } from '../events/event-id.ts';
import type { Envelope } from './envelope.ts';
import { type EventFilter, passesFilter } from './event-filter.ts';
import { afterCursor, type StreamCursor } from './stream-cursor.ts';
import { ThreadFeed } from './thread-feed.ts';

export interface EventReader {
  send(events: Envelope[]): void;
  /** The log has been read further, and every matching event sent. */
  onProgress?(): void;
  end(): void;
}

/** One reader's view of a thread's stream: stored events after its cursor, then live ones. */
export class EventStream {
  readonly #feed: ThreadFeed;
  readonly #reader: EventReader;
  readonly #cursor: StreamCursor | undefined;
  readonly #passes: (event: Envelope) => boolean;
  /**
   * Replayed events for a reader that resumes by event id; which ones follow it is known only after the full replay.
   */
  #held: Envelope[] | undefined;
  #replayed = 0;
  #live = false;
  #position = START;

  constructor(
    deps: Pick<AgentDeps, 'db' | 'notifications'>,
    threadId: string,
    access: RowFilter | undefined,
    filter: EventFilter & { cursor?: StreamCursor | undefined },
    reader: EventReader,
  ) {
    this.#reader = reader;
    this.#cursor = filter.since === undefined ? filter.cursor : { since: filter.since };
    this.#held = this.#cursor && 'event_id' in this.#cursor ? [] : undefined;
    this.#passes = passesFilter(filter);
    this.#feed = new ThreadFeed(deps, threadId, access, {
      onEvents: (events, through) => this.#read(events, through),
      onEnd: () => reader.end(),
    });
  }

  get ready(): Promise<void> {
    return this.#feed.ready;
  }

  /** How far the log has been read. */
  get position(): EventId {
    return this.#position;
  }

  /** Skips to a position; earlier events have already reached the other readers and may never arrive here. */
  startAt(position: EventId): void {
    if (isAfter(position, this.#position)) this.#position = position;
  }

  /** Resolves with the number of events sent, once all stored events have been sent. */
  async replay(): Promise<number> {
    await this.#feed.replay();
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#take(held);
    this.#live = true;
    return this.#replayed;
  }

  close(): void {
    this.#feed.close();
  }

  #read(events: Envelope[], through: EventId): void {
    this.startAt(through);
    this.#take(events);
    this.#reader.onProgress?.();
  }

  #take(events: Envelope[]): void {
    if (this.#held) return void this.#held.push(...events);
    const fresh = this.#cursor && !this.#live ? afterCursor(events, this.#cursor) : events;
    const wanted = fresh.filter(this.#passes);
    this.#replayed += this.#live ? 0 : wanted.length;
    if (wanted.length > 0) this.#reader.send(wanted);
  }
}
