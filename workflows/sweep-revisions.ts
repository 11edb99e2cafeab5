import { proxyActivities } from '@temporalio/workflow';
import type { RevisionUpkeepActivities } from '../activities/revision-upkeep-activities.ts';

const { recoverRevisions, recoverRemovals } = proxyActivities<RevisionUpkeepActivities>({
  startToCloseTimeout: '2 minutes',
  // The next turn waits for this one: a worker that dies in it must not be waited for longer than a turn takes.
  heartbeatTimeout: '15 seconds',
  // The next turn comes soon.
  retry: { maximumAttempts: 2 },
});

/** One turn of the Schedule that looks for revisions and removals nobody carries on. */
export async function sweepRevisions(): Promise<void> {
  await recoverRevisions();
  await recoverRemovals();
}
