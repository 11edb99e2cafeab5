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
  /** Notifications were lost; what is stored has been delivered again, anything else may be missing. */
  onGap(): void;
  /** Something could not be read: nothing more is delivered until `replay` is called. */
  onFailure(error: unknown): void;
}

export interface FollowOptions {
  /** Only this run's notices. */
  runId?: string;
  /** Stored events strictly after this id come first, once `replay` is called; without it, live ones only. */
  after?: EventId | undefined;
}

const PAGE = 1_000;

/**
 * Reads a thread's event log in order: what is stored, then what happens, nothing twice and nothing left out.
 * Close it, or it listens for ever.
 */
export class EventFollower {
  /** Settles when nothing notified from now on will be missed. */
  readonly ready: Promise<void>;
  readonly #deps: EventSource;
  readonly #threadId: string;
  readonly #listener: EventListener;
  readonly #options: FollowOptions;
  readonly #subscription: Subscription;
  #last: EventId;
  #queue: (Notice | 'replay' | (() => void))[] = [];
  #pumping = false;
  /** Nothing is delivered before what is stored: it would seem to be older than what was delivered. */
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

  /** Delivers what is stored after the id given, then everything that came meanwhile. */
  replay(): void {
    this.#waiting = false;
    this.#queue.unshift('replay');
    void this.#pump();
  }

  /** Settles when all that is stored by now has been delivered; never when the follower is closed meanwhile. */
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
    // Read before unpacking: a busy thread has notices for other readers.
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
      // What came since must not pass what could not be read.
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
      // Runs of one thread follow each other; a page may hold the end of one and the start of the next.
      for (const event of events) this.#deliverEvents(event.run_id, [event]);
      if (events.length < PAGE) return;
    }
  }

  async #readOne(runId: string, id: EventId): Promise<void> {
    const event = await findEvent(this.#deps.db, this.#threadId, id);
    if (event && !this.#closed) this.#deliverEvents(runId, [event]);
  }
}
