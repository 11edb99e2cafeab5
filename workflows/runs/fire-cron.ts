import { defineSearchAttributeKey } from '@temporalio/common';
import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { CronActivities, FireCronInput, FireCronResult } from './contracts.ts';

// The server sets it on workflows that a Schedule starts.
const SCHEDULED_FOR = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

const { fireDue } = proxyActivities<CronActivities>({
  // Short, so that a dead worker doesn't delay the run; the activity is idempotent.
  startToCloseTimeout: '5 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/** Fires a cron, from its Schedule or by hand: starts the run that is due. */
export async function fireCron(input: FireCronInput): Promise<FireCronResult> {
  const { startTime, typedSearchAttributes } = workflowInfo();
  const scheduledFor = typedSearchAttributes.get(SCHEDULED_FOR) ?? startTime;
  return fireDue({ ...input, woken_for: scheduledFor.toISOString() });
}
