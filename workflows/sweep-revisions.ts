import { proxyActivities } from '@temporalio/workflow';
import type { RevisionUpkeepActivities } from '../activities/revision-upkeep-activities.ts';

const { recoverRevisions, recoverRemovals } = proxyActivities<RevisionUpkeepActivities>({
  startToCloseTimeout: '2 minutes',
  // The next turn comes soon.
  retry: { maximumAttempts: 2 },
});

/** One turn of the Schedule that looks for revisions and removals nobody carries on. */
export async function sweepRevisions(): Promise<void> {
  await recoverRevisions();
  await recoverRemovals();
}
