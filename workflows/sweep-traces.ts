import { proxyActivities } from '@temporalio/workflow';
import type { TraceActivities } from '../activities/trace-activities.ts';

const { sweepTraceWeeks } = proxyActivities<TraceActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-traces`: runs older than their project keeps them are removed. */
export async function sweepTraces(): Promise<object> {
  return sweepTraceWeeks();
}
