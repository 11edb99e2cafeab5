import type { ExecuteRunResult } from '../../../workflows/runs/contracts.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import { RUN_CONTROL_CHANNEL } from './run-claim.ts';

/** Why a graph is stopped. */
export type StopCause = 'stop' | 'taken' | 'timeout' | 'shutdown';

interface RunningRun {
  epoch: number;
  controller: AbortController;
  done: Promise<ExecuteRunResult>;
}

/** The runs that this process executes. Listens for requests to stop them. */
export class RunningRuns {
  readonly #runs = new Map<string, RunningRun>();
  readonly #subscription: Subscription;
  #isLeaving = false;

  constructor(notifications: Notifications) {
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

  find(runId: string): Promise<ExecuteRunResult> | undefined {
    return this.#runs.get(runId)?.done;
  }

  /** Registers the run while `work` runs, with a signal that stops it. */
  async hold(
    runId: string,
    epoch: number,
    work: (signal: AbortSignal) => Promise<ExecuteRunResult>,
  ): Promise<ExecuteRunResult> {
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
