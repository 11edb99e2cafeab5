import type { ExecuteRunResult } from '../../../workflows/runs/contracts.ts';
import type { Notifications, Subscription } from '../../platform/db/notifications.ts';
import { RUN_CONTROL_CHANNEL } from './run-claim.ts';

/** Why a graph is told to leave. */
export type StopCause = 'stop' | 'taken' | 'timeout' | 'shutdown';

interface RunningRun {
  epoch: number;
  controller: AbortController;
  done: Promise<ExecuteRunResult>;
}

/** The runs this process executes, and the ear for those who want one of them stopped. */
export class RunningRuns {
  readonly #runs = new Map<string, RunningRun>();
  readonly #subscription: Subscription;
  #isLeaving = false;

  constructor(notifications: Notifications) {
    this.#subscription = notifications.subscribe(RUN_CONTROL_CHANNEL, {
      onPayload: (payload) => this.#control(payload),
      // What was missed comes again with the next heartbeat, or fails at the fence.
      onReset: () => {},
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  /** True once this process begins no more runs. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  find(runId: string): Promise<ExecuteRunResult> | undefined {
    return this.#runs.get(runId)?.done;
  }

  /** Holds the run for as long as `work` lasts. */
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
    // Our own claim is announced too.
    if (verb === 'taken' && Number(epoch) > (this.#runs.get(runId)?.epoch ?? Infinity))
      this.stop(runId, 'taken');
  }
}
