import { proxyActivities } from '@temporalio/workflow';
import type { RunMinutesActivities } from '../activities/run-minutes-activities.ts';

const { foldRunMinutes: fold } = proxyActivities<RunMinutesActivities>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { maximumAttempts: 3 },
});

/** One turn of the Schedule `fold-run-minutes`: statistics of the minutes in which runs were written. */
export async function foldRunMinutes(): Promise<object> {
  return fold();
}
