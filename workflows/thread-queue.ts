import type { CancelAction, QueuedRun } from './contracts.ts';

export interface StoppedRun {
  run: QueuedRun;
  action: CancelAction;
}

/**
 * The runs of one thread that have not started: a pure state machine, the whole meaning of multitask strategies.
 * Order is the order received; a delayed run lets later ones pass until it is due.
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

  /** True when there is something to do before waiting: a run to settle. */
  get hasStopped(): boolean {
    return this.#stopped.length > 0;
  }

  has(runId: string): boolean {
    return (
      this.#queued.some(({ run_id }) => run_id === runId) ||
      this.#stopped.some(({ run }) => run.run_id === runId)
    );
  }

  /** `interrupt` and `rollback` displace everything before them; the others wait their turn. */
  add(run: QueuedRun): void {
    if (run.multitask_strategy === 'interrupt' || run.multitask_strategy === 'rollback') {
      this.stopAll(run.multitask_strategy);
    }
    this.#queued.push(run);
  }

  /** A run whose execution ended without an outcome goes first again. */
  putBack(run: QueuedRun): void {
    this.#queued.unshift(run);
  }

  /** Runs that wait for workers that are gone are executed by others. */
  move(fromTaskQueue: string, task_queue: string): void {
    this.#queued = this.#queued.map((run) =>
      run.task_queue === fromTaskQueue ? { ...run, task_queue } : run,
    );
  }

  /** Returns false when the run is not waiting here. */
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

  /** The first run, in order received, whose time has come. */
  takeDue(now: number): QueuedRun | undefined {
    const index = this.#queued.findIndex(({ due_ms = 0 }) => due_ms <= now);
    return index < 0 ? undefined : this.#queued.splice(index, 1)[0];
  }

  /** Runs that follow `run`, which was just taken, and need nothing of the workflow between one and the next. */
  following(run: QueuedRun, now: number, most: number): QueuedRun[] {
    if (run.webhook) return [];
    const isPlain = ({ due_ms = 0, task_queue, webhook }: QueuedRun) =>
      due_ms <= now && task_queue === run.task_queue && !webhook;
    const end = this.#queued.findIndex((queued) => !isPlain(queued));
    return this.#queued.slice(0, Math.min(most, end < 0 ? this.#queued.length : end));
  }

  /** Forgets a run that was begun without being taken. */
  remove(runId: string): void {
    this.#queued = this.#queued.filter(({ run_id }) => run_id !== runId);
    this.#stopped = this.#stopped.filter(({ run }) => run.run_id !== runId);
  }

  /** Milliseconds until a waiting run is due, or undefined when none waits. */
  dueIn(now: number): number | undefined {
    if (this.#queued.length === 0) return undefined;
    return Math.max(0, Math.min(...this.#queued.map(({ due_ms = 0 }) => due_ms)) - now);
  }
}
