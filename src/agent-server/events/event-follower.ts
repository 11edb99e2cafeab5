import type { Queryable } from '../../platform/db/database.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import { type Notice, type RunEnd, type RunEvent, threadChannel, unpackNotice } from './event-frame.ts';
import { type EventId, isAfter, START } from './event-id.ts';
import { findEvent, listEvents } from './event-repository.ts';

export interface EventSource {
  db: Queryable;
  notifications: Notifications;
}

export interface EventListener {
  onEvents(runId: string, events: RunEvent[]): void;
  onEnd(runId: string, end: RunEnd): void;
  onGone(runId: string): void;
  /** Notifications were lost. Stored events have been replayed; others may be missing. */
  onGap(): void;
  /** A read failed; nothing more is delivered until `replay` is called. */
  onFailure(error: unknown): void;
}

export interface FollowOptions {
  /** Deliver only this run's events. */
  runId?: string;
  /** Deliver the stored events after this id first, once `replay` is called; by default only live events. */
  after?: EventId | undefined;
}

const PAGE = 1_000;

/**
 * Delivers a thread's events in order, stored ones first, then live ones, without gaps or duplicates. It listens until
 * it is closed.
 */
export class EventFollower {
  /** Settles once the subscription is active. */
  readonly ready: Promise<void>;
  readonly #deps: EventSource;
  readonly #threadId: string;
  readonly #listener: EventListener;
  readonly #options: FollowOptions;
  readonly #subscription: Subscription;
  #last: EventId;
  #queue: (Notice | 'replay' | (() => void))[] = [];
  #pumping = false;
  /** Holds live events back until stored ones are delivered, which would otherwise be dropped as older. */
  #waiting: boolean;
  #closed = false;

  constructor(deps: EventSource, threadId: string, listener: EventListener, options: FollowOptions = {}) {
    this.#deps = deps;
    this.#threadId = threadId;
    this.#listener = listener;
    this.#options = options;
    this.#last = options.after ?? START;
    this.#waiting = options.after !== undefined;
    this.#subscription = deps.notifications.subscribe(threadChannel(threadId), {
      onPayload: (payload) => this.#take(payload),
      onReset: () => {
        this.#enqueue('replay');
      },
    });
    this.ready = this.#subscription.ready;
  }

  /** Delivers stored events after `after`, then those that arrived meanwhile. */
  replay(): void {
    this.#waiting = false;
    this.#queue.unshift('replay');
    void this.#pump();
  }

  /** Settles when all events stored so far have been delivered; never if the follower is closed first. */
  catchUp(): Promise<void> {
    return new Promise((resolve) => this.#enqueue(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
    this.#subscription.close();
  }

  #take(payload: string): void {
    const { runId } = this.#options;
    // Checked before unpacking, because a busy thread has many notices of other runs.
    if (runId && !payload.startsWith(runId, 1)) return;
    this.#enqueue(unpackNotice(payload));
  }

  #enqueue(notice: Notice | 'replay' | (() => void)): void {
    this.#queue.push(notice);
    void this.#pump();
  }

  async #pump(): Promise<void> {
    if (this.#pumping || this.#waiting) return;
    this.#pumping = true;
    let next: Notice | 'replay' | (() => void) | undefined;
    try {
      for (next = this.#queue.shift(); next && !this.#closed; next = this.#queue.shift()) {
        if (next === 'replay') {
          await this.#readStored();
          this.#listener.onGap();
        } else if (typeof next === 'function') {
          await this.#readStored();
          next();
        } else if (next.kind === 'stored') await this.#readOne(next.run_id, next.id);
        else this.#deliver(next);
      }
    } catch (error) {
      if (this.#closed) return;
      // Later notices must not overtake those that could not be read.
      this.#waiting = true;
      if (typeof next === 'function') this.#queue.unshift(next);
      this.#listener.onFailure(error);
    } finally {
      this.#pumping = false;
    }
  }

  #deliver(notice: Exclude<Notice, { kind: 'stored' }>): void {
    if (notice.kind === 'end') this.#listener.onEnd(notice.run_id, notice.end);
    else if (notice.kind === 'gone') this.#listener.onGone(notice.run_id);
    else this.#deliverEvents(notice.run_id, notice.events);
  }

  #deliverEvents(runId: string, events: RunEvent[]): void {
    const fresh = events.filter(({ id }) => isAfter(id, this.#last));
    if (fresh.length === 0) return;
    this.#last = fresh.at(-1)!.id;
    this.#listener.onEvents(runId, fresh);
  }

  async #readStored(): Promise<void> {
    for (;;) {
      const events = await listEvents(this.#deps.db, this.#threadId, this.#last, PAGE, this.#options.runId);
      if (this.#closed) return;
      // A page may contain events of several runs.
      for (const event of events) this.#deliverEvents(event.run_id, [event]);
      if (events.length < PAGE) return;
    }
  }

  async #readOne(runId: string, id: EventId): Promise<void> {
    const event = await findEvent(this.#deps.db, this.#threadId, id);
    if (event && !this.#closed) this.#deliverEvents(runId, [event]);
  }
}
