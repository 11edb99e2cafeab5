import { proxyActivities } from '@temporalio/workflow';
import type { BuildActivities } from '../activities/build-activities.ts';

const { sweepBuildFolders } = proxyActivities<BuildActivities>({
  startToCloseTimeout: '30 minutes',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-builds`, where builds run: what they left behind is removed. */
export async function sweepBuilds(): Promise<object> {
  return sweepBuildFolders();
}
