import type { AgentDeps } from '../agent-deps.ts';
import { type RunEvent, runOfNotice, threadChannel } from '../events/event-frame.ts';
import { followRun } from '../runs/run-follower.ts';
import { findTask, type TaskRow, type TaskScope } from '../runs/task-repository.ts';

/** Follows a task from run to run: an interrupt makes it wait, an answer starts its next run. Close it after use. */
export class TaskFollower {
  /** Resolves once no further change can be missed. */
  readonly ready: Promise<void>;
  readonly #deps: AgentDeps;
  readonly #scope: TaskScope;
  readonly #threadId: string;
  readonly #onEvents: (events: RunEvent[]) => void;
  readonly #closing: (() => void)[] = [];
  #changed: () => void = () => {};
  #waitingRun: string | undefined;
  #otherRun: string | undefined;
  #closed = false;

  constructor(
    deps: AgentDeps,
    scope: TaskScope,
    { thread_id }: TaskRow,
    onEvents: (events: RunEvent[]) => void,
  ) {
    this.#deps = deps;
    this.#scope = scope;
    this.#threadId = thread_id;
    this.#onEvents = onEvents;
    const subscription = deps.notifications.subscribe(threadChannel(thread_id), {
      onPayload: (payload) => this.#hear(runOfNotice(payload)),
      onReset: () => this.#changed(),
    });
    this.ready = subscription.ready;
    this.#closing.push(() => subscription.close());
  }

  /** The task after its current run has ended; undefined if it was removed or the follower was closed. */
  async stopped({ run_id }: TaskRow): Promise<TaskRow | undefined> {
    const run = followRun(this.#deps, this.#threadId, run_id, { onEvents: this.#onEvents });
    this.#closing.push(() => run.close());
    await run.ready;
    run.check();
    await run.ended;
    run.close();
    return this.#read(run_id);
  }

  /** The task after it was answered or canceled; undefined if it was removed or the follower was closed. */
  async resumed({ run_id, state }: TaskRow): Promise<TaskRow | undefined> {
    this.#waitingRun = run_id;
    // Notifications can be lost; the poll reports every run that has ended, including the waiting one.
    const unwatch = this.#deps.poll.watch(run_id, () => this.#changed());
    try {
      for (;;) {
        const change = new Promise<void>((resolve) => (this.#changed = resolve));
        // The database is unreachable; the poll retries.
        const task = await this.#read(run_id).catch(() => 'unknown' as const);
        if (task !== 'unknown' && (task?.run_id !== run_id || task.state !== state)) return task;
        await change;
      }
    } finally {
      unwatch();
    }
  }

  close(): void {
    this.#closed = true;
    for (const close of this.#closing.splice(0)) close();
    this.#changed();
  }

  /** Only the first event of another run can be an answer; a busy thread has thousands of events. */
  #hear(runId: string): void {
    if (runId === this.#otherRun) return;
    if (runId !== this.#waitingRun) this.#otherRun = runId;
    this.#changed();
  }

  async #read(runId: string): Promise<TaskRow | undefined> {
    return this.#closed ? undefined : findTask(this.#deps.db, this.#scope, this.#threadId, runId);
  }
}
