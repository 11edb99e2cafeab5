import type { CancelAction } from '../../../workflows/runs/contracts.ts';
import { isRolledBack } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { CancelDeadlock } from '../errors.ts';
import { notifyStop } from './run-claim.ts';
import { followRun } from './run-follower.ts';
import type { RunRef } from '../records/in-flight-repository.ts';
import { settleFromOutside } from './outside-settlement.ts';

type Cancellable = Pick<RunRef, 'run_id' | 'thread_id'>;

/**
 * Stops a run. A pending run, or one that is in no queue, is settled immediately, even without a worker. A running one
 * is cancelled through both Temporal and Postgres, because Temporal can take seconds on a cluster that does not push
 * cancellations; it ends when its graph has stopped. Throws CancelDeadlock.
 */
export async function cancelRun(deps: AgentDeps, run: Cancellable, action: CancelAction): Promise<void> {
  try {
    await cancel(deps, run, action);
  } catch (error) {
    throw isRolledBack(error) ? new CancelDeadlock(run.run_id) : error;
  }
}

async function cancel(deps: AgentDeps, run: Cancellable, action: CancelAction): Promise<void> {
  const ended = await settleFromOutside(deps, run.run_id, action, ['pending']);
  const held = await deps.threads.cancel(run.thread_id, run.run_id, action);
  if (ended) return;
  await notifyStop(deps.db, run.run_id);
  if (!held) await settleFromOutside(deps, run.run_id, action);
}

/** Stops runs and waits until all have ended. */
export async function stopRuns(deps: AgentDeps, runs: Cancellable[], action: CancelAction): Promise<void> {
  await Promise.all(
    runs.map(async (run) => {
      const follower = followRun(deps, run.thread_id, run.run_id);
      try {
        await follower.ready;
        await cancelRun(deps, run, action);
        follower.check();
        await follower.ended;
      } finally {
        follower.close();
      }
    }),
  );
}
