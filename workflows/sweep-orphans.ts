import { proxyActivities } from '@temporalio/workflow';
import type { OrphanActivities } from '../activities/orphan-activities.ts';

const { sweepOrphans: sweep } = proxyActivities<OrphanActivities>({
  startToCloseTimeout: '2 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-orphans`: runs whose parents came beside them, or never. */
export async function sweepOrphans(): Promise<object> {
  return sweep();
}
