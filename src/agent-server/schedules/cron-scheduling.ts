import { inTransaction } from '../../platform/db/database.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { lockCron } from '../records/cron-repository.ts';
import { markScheduled } from '../records/schedule-repository.ts';

/** Writes the cron's schedule; locks the row so that the last change wins. */
async function schedule(deps: AgentDeps, cronId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const cron = await lockCron(tx, cronId);
    if (!cron) return;
    await deps.crons.put(cron);
    await markScheduled(tx, cronId, deps.crons.taskQueue);
  });
}

/** Like `schedule`, but never fails: the next sweep retries. */
export async function scheduleSoon(deps: AgentDeps, cronId: string): Promise<void> {
  await schedule(deps, cronId).catch((error: unknown) => {
    deps.log.warn({ err: error, cron_id: cronId }, 'a cron has no schedule yet');
  });
}

/** Removes the schedules of deleted crons; the next sweep retries failures. */
export async function unschedule(deps: AgentDeps, cronIds: string[]): Promise<void> {
  await Promise.all(
    cronIds.map((cron_id) =>
      deps.crons.remove(cron_id).catch((error: unknown) => {
        deps.log.warn({ err: error, cron_id }, 'the schedule of a deleted cron is still there');
      }),
    ),
  );
}
