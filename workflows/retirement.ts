import { ActivityCancellationType, patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { RevisionActivities } from '../activities/revision-activities.ts';
import type { RetirementInput } from './revision-contracts.ts';

const SLACK_MS = 60_000;
// Until every gateway has heard who serves now, requests may still come.
const HEARD = '2 seconds';

/** A revision that no longer serves finishes what it has begun, up to its time, and is stopped; or it is stopped at once. */
export async function retirement({ revision_id, timeout_ms, is_now }: RetirementInput): Promise<void> {
  const { drainRevision, stopRevision } = proxyActivities<RevisionActivities>({
    startToCloseTimeout: timeout_ms + SLACK_MS,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  });
  if (!is_now) {
    if (patched('gateways hear')) await sleep(HEARD);
    await drainRevision({ revision_id, timeout_ms });
  }
  await stopRevision({ revision_id });
}
