import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CommitStatusActivities } from '../activities/commit-status-activities.ts';
import type { CommitReport, CommitStatusInput } from './commit-status-contracts.ts';

const revisionMoved = defineSignal<[]>('revisionMoved');

// Whoever moves a revision may die before it says so.
const LOOK_AGAIN = '1 minute';

const { reportCommit } = proxyActivities<CommitStatusActivities>({
  startToCloseTimeout: '1 minute',
  // A host that is down for longer is not told; nothing waits for it.
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

/** Tells a git host how far a revision of one of its commits is, until the revision has ended. */
export async function commitStatus({ revision_id, told }: CommitStatusInput): Promise<CommitReport> {
  let hasMoved = false;
  setHandler(revisionMoved, () => void (hasMoved = true));
  for (;;) {
    hasMoved = false;
    const report = await reportCommit({ revision_id, told });
    told = report.state;
    setCurrentDetails(`The commit is \`${report.state}\` there.`);
    if (report.is_final) return report;
    await condition(() => hasMoved, LOOK_AGAIN);
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof commitStatus>({ revision_id, told });
  }
}
