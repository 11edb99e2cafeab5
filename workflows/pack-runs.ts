import { proxyActivities } from '@temporalio/workflow';
import type { TraceActivities } from '../activities/trace-activities.ts';

const { packQuietRuns } = proxyActivities<TraceActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `pack-runs`: runs of traces that are over take less room from then on. */
export async function packRuns(): Promise<object> {
  return packQuietRuns();
}
