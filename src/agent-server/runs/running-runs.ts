import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import { RUN_CONTROL_CHANNEL } from './run-claim.ts';

/** Why a graph is stopped. */
export type StopCause = 'stop' | 'taken' | 'timeout' | 'shutdown';

/**
 * How an attempt ended. `settled`: the run has its outcome. `followed`: it has, and another run of its thread was
 * accepted. `stopped`: the graph left without an outcome.
 */
export type AttemptEnd = 'settled' | 'followed' | 'stopped';

interface RunningRun {
  epoch: number;
  controller: AbortController;
  done: Promise<AttemptEnd>;
}

/** The runs that this process executes. Listens for requests to stop them. */
export class RunningRuns {
  readonly #runs = new Map<string, RunningRun>();
  readonly #subscription: Subscription;
  #isLeaving = false;
  /** Only this process takes work from it. */
  readonly taskQueue: string;

  constructor(notifications: Notifications, taskQueue: string) {
    this.taskQueue = taskQueue;
    this.#subscription = notifications.subscribe(RUN_CONTROL_CHANNEL, {
      onPayload: (payload) => this.#control(payload),
      // Nothing to do: a missed stop arrives with the next heartbeat, and a missed claim shows at the fence.
      onReset: () => {},
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  /** True once this process accepts no more runs. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /** Waits for a run this process executes, and stops it when the signal aborts. Undefined if it executes no such run. */
  join(runId: string, signal: AbortSignal): Promise<AttemptEnd> | undefined {
    const run = this.#runs.get(runId);
    if (!run) return undefined;
    const stop = () => run.controller.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return run.done.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Registers the run while `work` runs, with a signal that stops it. */
  async hold(
    runId: string,
    epoch: number,
    work: (signal: AbortSignal) => Promise<AttemptEnd>,
  ): Promise<AttemptEnd> {
    const controller = new AbortController();
    const done = work(controller.signal);
    this.#runs.set(runId, { epoch, controller, done });
    try {
      return await done;
    } finally {
      if (this.#runs.get(runId)?.controller === controller) this.#runs.delete(runId);
    }
  }

  stop(runId: string, cause: StopCause): void {
    this.#runs.get(runId)?.controller.abort(cause);
  }

  /** Stops the remaining runs, which no activity waits for, so that they return to their queues. */
  async handBack(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { controller } of runs) controller.abort('shutdown' satisfies StopCause);
    await Promise.allSettled(runs.map(({ done }) => done));
  }

  close(): void {
    this.#subscription.close();
  }

  #control(payload: string): void {
    const [verb, runId = '', epoch] = payload.split(' ');
    if (verb === 'stop') this.stop(runId, 'stop');
    // The notification of our own claim arrives here too.
    if (verb === 'taken' && Number(epoch) > (this.#runs.get(runId)?.epoch ?? Infinity))
      this.stop(runId, 'taken');
  }
}
