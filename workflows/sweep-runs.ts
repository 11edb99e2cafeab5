import { patched, proxyActivities } from '@temporalio/workflow';
import type { CronActivities } from '../activities/cron-activities.ts';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';

const { adoptOrphans, expireRows } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '5 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

const { reconcileCrons } = proxyActivities<CronActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `<deployment>/sweep`: runs nobody executes, what is left of runs that ended, then crons. */
export async function sweepRuns(): Promise<object> {
  const orphans = await adoptOrphans();
  const expired = await expireRows();
  // What expired may have taken crons along.
  const crons = patched('crons') ? await reconcileCrons() : undefined;
  return { ...orphans, expired, crons };
}
