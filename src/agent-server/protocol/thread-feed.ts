import type { RowFilter } from '../../platform/db/row-filter.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { EventFollower } from '../events/event-follower.ts';
import type { RunEvent } from '../events/event-frame.ts';
import { type EventId, START } from '../events/event-id.ts';
import { threadExists } from '../records/thread-repository.ts';
import type { Envelope } from './envelope.ts';
import { findStreamedRun } from './protocol-repository.ts';
import { type KnownRun, ThreadTranslator } from './thread-translator.ts';

export interface FeedListener {
  /** Delivers the log's events up to `through`; may be empty. */
  onEvents(events: Envelope[], through: EventId): void;
  /** The thread is gone, or its log can no longer be read; no further calls follow. */
  onEnd(): void;
}

// Run id of log entries written outside of any run.
const NO_RUN = '00000000-0000-0000-0000-000000000000';

/** A thread's protocol stream: starts at its oldest stored event and continues across runs until closed. */
export class ThreadFeed {
  readonly ready: Promise<void>;
  readonly #deps: Pick<AgentDeps, 'db' | 'notifications'>;
  readonly #threadId: string;
  readonly #filter: RowFilter | undefined;
  readonly #listener: FeedListener;
  readonly #follower: EventFollower;
  readonly #translator = new ThreadTranslator();
  readonly #runs = new Map<string, KnownRun>();
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    deps: Pick<AgentDeps, 'db' | 'notifications'>,
    threadId: string,
    filter: RowFilter | undefined,
    listener: FeedListener,
  ) {
    this.#deps = deps;
    this.#threadId = threadId;
    this.#filter = filter;
    this.#listener = listener;
    this.#follower = new EventFollower(
      deps,
      threadId,
      {
        onEvents: (runId, events) => this.#enqueue(() => this.#take(runId, events)),
        onEnd() {},
        onGone: (runId) => this.#enqueue(() => this.#gone(runId)),
        onGap() {},
        onFailure: () => this.#end(),
      },
      { after: START },
    );
    this.ready = this.#follower.ready;
  }

  /** Delivers the stored events; resolves when all are delivered. */
  async replay(): Promise<void> {
    this.#follower.replay();
    await this.#follower.catchUp();
    await this.#work;
  }

  close(): void {
    this.#closed = true;
    this.#follower.close();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (!this.#closed) await work();
    });
    this.#work = this.#work.catch(() => this.#end());
  }

  async #take(runId: string, events: RunEvent[]): Promise<void> {
    const envelopes = runId === NO_RUN ? [] : await this.#translate(runId, events);
    if (!this.#closed) this.#listener.onEvents(envelopes, events.at(-1)!.id);
  }

  async #translate(runId: string, events: RunEvent[]): Promise<Envelope[]> {
    const envelopes: Envelope[] = [];
    let run = this.#runs.get(runId) ?? (await this.#find(runId));
    if (!run) return envelopes;
    this.#runs.set(runId, run);
    for (const event of events) {
      if (event.event === 'run_done') {
        run = { ...run, status: (await this.#find(runId))?.status };
        this.#runs.delete(runId);
      }
      envelopes.push(...this.#translator.translate(run, event));
    }
    return envelopes;
  }

  #find(runId: string): Promise<KnownRun | undefined> {
    return findStreamedRun(this.#deps.db, this.#threadId, runId, this.#filter);
  }

  /** Drops a rolled-back run; ends the feed if its thread is gone too. */
  async #gone(runId: string): Promise<void> {
    this.#runs.delete(runId);
    if (!(await threadExists(this.#deps.db, this.#threadId))) this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.close();
    this.#listener.onEnd();
  }
}
