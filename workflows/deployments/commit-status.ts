import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CommitReport, CommitStatusActivities, CommitStatusInput } from './contracts.ts';

const revisionMoved = defineSignal<[]>('revisionMoved');

// A process may die between changing a revision and signalling it.
const POLL_EVERY = '1 minute';

const { reportCommit } = proxyActivities<CommitStatusActivities>({
  startToCloseTimeout: '1 minute',
  // Gives up on a host that is down for longer; nothing waits for it.
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

/** Reports a revision's progress to its git host until the revision ends. */
export async function commitStatus({ revision_id, reported }: CommitStatusInput): Promise<CommitReport> {
  let hasMoved = false;
  setHandler(revisionMoved, () => void (hasMoved = true));
  for (;;) {
    hasMoved = false;
    const report = await reportCommit({ revision_id, reported });
    reported = report.state;
    setCurrentDetails(`The commit is \`${report.state}\` there.`);
    if (report.is_final) return report;
    await condition(() => hasMoved, POLL_EVERY);
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof commitStatus>({ revision_id, reported });
  }
}
