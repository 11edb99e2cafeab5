import type { CancelAction } from '../../../workflows/runs/contracts.ts';
import { isRolledBack } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { CancelDeadlock } from '../errors.ts';
import { notifyStop } from './run-claim.ts';
import { followRun } from '../events/run-follower.ts';
import type { RunRef } from './in-flight-repository.ts';
import { settleFromOutside } from './outside-settlement.ts';

type Cancellable = Pick<RunRef, 'run_id' | 'thread_id'>;

/**
 * Stops a run. One that waits ends here and now, worker or not, and its queue drops it. One that executes is told
 * twice, by Temporal and by Postgres, because the first can take seconds on a cluster that does not push
 * cancellations; it ends when its graph has left. A run that no queue holds is ended here too. Throws CancelDeadlock.
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

/** Stops runs and returns when every one of them has left. */
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
