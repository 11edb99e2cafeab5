import { proxyActivities } from '@temporalio/workflow';
import type { RecordActivities } from '../activities/record-activities.ts';

const { sweepRecords: sweep } = proxyActivities<RecordActivities>({
  startToCloseTimeout: '30 minutes',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `sweep-records`: old lines of logs, events of git hosts, and previews nobody closed. */
export async function sweepRecords(): Promise<object> {
  return sweep();
}
