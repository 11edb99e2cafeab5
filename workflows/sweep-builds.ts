import { proxyActivities } from '@temporalio/workflow';
import type { BuildActivities } from '../activities/build-activities.ts';

const { sweepBuildFolders } = proxyActivities<BuildActivities>({
  startToCloseTimeout: '30 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-builds`, where builds run: what they left behind is removed. */
export async function sweepBuilds(): Promise<object> {
  return sweepBuildFolders();
}
