import { ActivityCancellationType, patched, proxyActivities, sleep } from '@temporalio/workflow';
import type { RetirementInput, RevisionActivities } from './contracts.ts';

const SLACK_MS = 60_000;
// Gateways need a moment to learn the new route; requests still arrive until then.
const ROUTE_LAG = '2 seconds';

/** Stops a replaced revision: once its runs have finished or `timeout_ms` has passed, or at once. */
export async function retirement({ revision_id, timeout_ms, is_now }: RetirementInput): Promise<void> {
  const { drainRevision, stopRevision } = proxyActivities<RevisionActivities>({
    startToCloseTimeout: timeout_ms + SLACK_MS,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
  });
  if (!is_now) {
    if (patched('gateways hear')) await sleep(ROUTE_LAG);
    await drainRevision({ revision_id, timeout_ms });
  }
  await stopRevision({ revision_id });
}
