import { proxyActivities } from '@temporalio/workflow';
import type { RecordActivities } from '../activities/record-activities.ts';

const { sweepRecords: sweep } = proxyActivities<RecordActivities>({
  startToCloseTimeout: '30 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-records`: old lines of logs, events of git hosts, and previews nobody closed. */
export async function sweepRecords(): Promise<object> {
  return sweep();
}
