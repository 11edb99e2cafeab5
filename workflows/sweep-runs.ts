import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';

const { adoptOrphans, expireRows } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3 },
});

/** One turn of the housekeeping Schedule: runs nobody executes, then rows whose time is over. */
export async function sweepRuns(): Promise<object> {
  const orphans = await adoptOrphans();
  const expired = await expireRows();
  return { ...orphans, expired };
}
