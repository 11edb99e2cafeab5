import { defineSearchAttributeKey } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CronActivities } from '../activities/cron-activities.ts';
import type { FireCronInput, FireCronResult } from './contracts.ts';

// Set by the server on what a schedule starts.
const SCHEDULED_FOR = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

const { fireDue } = proxyActivities<CronActivities>({
  // A worker that died must not hold up the run; asking again changes nothing.
  startToCloseTimeout: '5 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/** One wake of a cron, by its schedule or by hand: starts the run whose time it is. */
export async function fireCron(input: FireCronInput): Promise<FireCronResult> {
  const { startTime, typedSearchAttributes } = workflowInfo();
  const wokenFor = typedSearchAttributes.get(SCHEDULED_FOR) ?? startTime;
  return fireDue({ ...input, woken_for: wokenFor.toISOString() });
}
