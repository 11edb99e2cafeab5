import { proxyActivities } from '@temporalio/workflow';
import type { UsageActivities } from '../activities/usage-activities.ts';

const { sweepUsage: sweep } = proxyActivities<UsageActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
  // The next turn comes soon.
  retry: { maximumAttempts: 2 },
});

/** One turn of the Schedule that tells what model calls used that did not say it. Returns how many it told. */
export async function sweepUsage(): Promise<object> {
  return sweep();
}
