import { proxyActivities } from '@temporalio/workflow';
import type { TraceActivities } from '../activities/trace-activities.ts';

const { packQuietRuns } = proxyActivities<TraceActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 3 },
});

/** No longer started; kept so that executions that an older version left open end. */
export async function packRuns(): Promise<object> {
  return packQuietRuns();
}
