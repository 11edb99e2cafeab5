import { proxyActivities } from '@temporalio/workflow';
import type { OrphanActivities } from '../activities/orphan-activities.ts';

const { sweepOrphans: sweep } = proxyActivities<OrphanActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-orphans`: runs whose parents came beside them, or never. */
export async function sweepOrphans(): Promise<object> {
  return sweep();
}
