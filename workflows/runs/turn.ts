import { CancellationScope } from '@temporalio/workflow';
import type { CancelAction, QueuedRun } from './contracts.ts';

/**
 * One call of `executeRun`: a run, and the runs behind it that the activity may execute too. Meanwhile only the
 * activity knows which run executes; cancellations wait until it reports.
 */
export class Turn {
  readonly number: number;
  readonly runs: readonly QueuedRun[];
  readonly scope = new CancellationScope();
  /** How the executing run was asked to stop. */
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

  /** The executing run, as last reported. */
  get run(): QueuedRun {
    return this.#run;
  }

  /** Not yet known whether this run is executing. */
  isUncertain(runId: string): boolean {
    return !this.#isLocated && this.runs.some(({ run_id }) => run_id === runId);
  }

  /** Calls `answer` once the executing run is known. */
  onceLocated<T>(answer: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve) => this.#waiting.push(() => resolve(answer())));
  }

  /** Records the executing run; without an id it is still the last one reported. */
  locate(runId?: string): void {
    this.#run = this.runs.find(({ run_id }) => run_id === runId) ?? this.#run;
    this.#isLocated = true;
    for (const answer of this.#waiting.splice(0)) answer();
  }
}
