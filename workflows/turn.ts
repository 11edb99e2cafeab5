import { CancellationScope } from '@temporalio/workflow';
import type { CancelAction, QueuedRun } from './contracts.ts';

/**
 * One call of `executeRun`: a run, and those right behind it that the activity goes on with while it is early. For
 * that moment only the activity knows which of them executes; what depends on it waits until it is told.
 */
export class Turn {
  readonly number: number;
  readonly runs: readonly QueuedRun[];
  readonly scope = new CancellationScope();
  /** How the run that executes was told to stop. */
  stop?: CancelAction;
  #run: QueuedRun;
  #isLocated: boolean;
  #waiting: (() => void)[] = [];

  constructor(number: number, first: QueuedRun, next: readonly QueuedRun[]) {
    this.number = number;
    this.runs = [first, ...next];
    this.#run = first;
    this.#isLocated = next.length === 0;
  }

  /** The run that executes, as far as it is known here. */
  get run(): QueuedRun {
    return this.#run;
  }

  /** True while this run may be the one that executes, and may not. */
  isUncertain(runId: string): boolean {
    return !this.#isLocated && this.runs.some(({ run_id }) => run_id === runId);
  }

  /** Settles with what `ask` says once it is known which run executes. */
  onceLocated<T>(ask: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve) => this.#waiting.push(() => resolve(ask())));
  }

  /** From now on the run that executes is known: the one named, or the one that was. */
  locate(runId?: string): void {
    this.#run = this.runs.find(({ run_id }) => run_id === runId) ?? this.#run;
    this.#isLocated = true;
    for (const answer of this.#waiting.splice(0)) answer();
  }
}
