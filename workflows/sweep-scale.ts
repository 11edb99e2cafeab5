import { proxyActivities } from '@temporalio/workflow';
import type { ScalingActivities } from '../activities/scaling-activities.ts';

const { decideReplicas } = proxyActivities<ScalingActivities>({
  startToCloseTimeout: '2 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  // The next turn comes soon.
  retry: { maximumAttempts: 2 },
});

/** One turn of the Schedule that decides how many replicas revisions have, and which sleep. Returns what it changed. */
export async function sweepScale(): Promise<object> {
  return decideReplicas();
}
