import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { listCronIds } from '../records/cron-repository.ts';
import { unschedule } from '../schedules/cron-scheduling.ts';
import { deleteThreadCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import { stopRuns } from '../runs/run-cancellation.ts';
import { listInFlight, type RunRef } from '../records/in-flight-repository.ts';
import { deleteThreads } from '../records/thread-repository.ts';

/**
 * Stops the threads' runs, then removes the threads with all their data. Returns the count. Throws Unavailable if a
 * run can't be stopped; the threads then still exist.
 */
export async function removeThreads(deps: AgentDeps, ids: string[]): Promise<number> {
  const runs: RunRef[] = [];
  for (const thread_id of ids) runs.push(...(await listInFlight(deps.db, { thread_id })));
  if (runs.length > 0) await stopRuns(deps, runs, 'interrupt');
  const crons = await listCronIds(deps.db, { thread_ids: ids });
  const removed = await inTransaction(deps.db, (tx) => eraseThreads(tx, ids));
  await unschedule(deps, crons);
  return removed;
}

/** Removes threads without stopping their runs, which can write nothing afterwards. */
export async function eraseThreads(tx: Queryable, ids: string[]): Promise<number> {
  // Delete the runs first: every checkpoint write needs its run, so none can follow.
  const deleted = await deleteThreads(tx, ids);
  if (deleted.length > 0) await deleteThreadCheckpoints(tx, deleted);
  return deleted.length;
}
