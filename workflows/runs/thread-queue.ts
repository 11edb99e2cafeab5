import type { CancelAction, QueuedRun } from './contracts.ts';

export interface StoppedRun {
  run: QueuedRun;
  action: CancelAction;
}

/**
 * The waiting runs of a thread: a pure state machine that implements the multitask strategies. First in, first out;
 * later runs overtake a delayed run until it is due.
 */
export class ThreadQueue {
  #queued: QueuedRun[];
  #stopped: StoppedRun[] = [];

  constructor(runs: QueuedRun[] = []) {
    this.#queued = [...runs];
  }

  get queued(): readonly QueuedRun[] {
    return this.#queued;
  }

  /** Whether stopped runs wait to be settled. */
  get hasStopped(): boolean {
    return this.#stopped.length > 0;
  }

  has(runId: string): boolean {
    return (
      this.#queued.some(({ run_id }) => run_id === runId) ||
      this.#stopped.some(({ run }) => run.run_id === runId)
    );
  }

  /** `interrupt` and `rollback` stop all runs before them; other strategies wait. */
  add(run: QueuedRun): void {
    if (run.multitask_strategy === 'interrupt' || run.multitask_strategy === 'rollback') {
      this.stopAll(run.multitask_strategy);
    }
    this.#queued.push(run);
  }

  /** Returns a run that ended without an outcome to the front. */
  putBack(run: QueuedRun): void {
    this.#queued.unshift(run);
  }

  /** Moves runs from a task queue without workers to another. */
  move(fromTaskQueue: string, task_queue: string): void {
    this.#queued = this.#queued.map((run) =>
      run.task_queue === fromTaskQueue ? { ...run, task_queue } : run,
    );
  }

  /** Returns false when the run isn't waiting. */
  stop(runId: string, action: CancelAction): boolean {
    const index = this.#queued.findIndex(({ run_id }) => run_id === runId);
    if (index < 0) return false;
    this.#stopped.push(...this.#queued.splice(index, 1).map((run) => ({ run, action })));
    return true;
  }

  stopAll(action: CancelAction): void {
    this.#stopped.push(...this.#queued.splice(0).map((run) => ({ run, action })));
  }

  takeStopped(): StoppedRun | undefined {
    return this.#stopped.shift();
  }

  /** Takes the first run that is due. */
  takeDue(now: number): QueuedRun | undefined {
    const index = this.#queued.findIndex(({ due_ms = 0 }) => due_ms <= now);
    return index < 0 ? undefined : this.#queued.splice(index, 1)[0];
  }

  /** Up to `most` runs behind `run` that need nothing from the workflow in between. */
  following(run: QueuedRun, now: number, most: number): QueuedRun[] {
    if (run.webhook) return [];
    const isPlain = ({ due_ms = 0, task_queue, webhook }: QueuedRun) =>
      due_ms <= now && task_queue === run.task_queue && !webhook;
    const end = this.#queued.findIndex((queued) => !isPlain(queued));
    return this.#queued.slice(0, Math.min(most, end < 0 ? this.#queued.length : end));
  }

  /** Removes a run that started without `takeDue`. */
  remove(runId: string): void {
    this.#queued = this.#queued.filter(({ run_id }) => run_id !== runId);
    this.#stopped = this.#stopped.filter(({ run }) => run.run_id !== runId);
  }

  /** Milliseconds until the next run is due; undefined when none waits. */
  dueIn(now: number): number | undefined {
    if (this.#queued.length === 0) return undefined;
    return Math.max(0, Math.min(...this.#queued.map(({ due_ms = 0 }) => due_ms)) - now);
  }
}
