import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';
import type { SweepThreadsInput } from './contracts.ts';

// A worker that dies in the middle leaves whole batches behind; the next attempt goes on from there.
const { expireThreads, expireItems } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 5 },
});

/** One turn of the Schedule `<deployment>/sweep-threads`: threads whose ttl is over are removed or pruned. */
export async function sweepThreads(input: SweepThreadsInput): Promise<object> {
  return expireThreads(input);
}

/** One turn of the Schedule `<deployment>/sweep-items`: store items whose ttl is over are removed. */
export async function sweepItems(): Promise<object> {
  return expireItems();
}
