import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type DeploymentInput,
  type RevisionActivities,
  STEP_TIMEOUT,
  STOP_HEARTBEAT,
  type SubmittedRevision,
} from './contracts.ts';
import { RevisionQueue } from './revision-queue.ts';
import { revision } from './revision.ts';

const submitRevision = defineSignal<[SubmittedRevision]>('submitRevision');
const interruptRevision = defineSignal<[string]>('interruptRevision');
const removeDeployment = defineSignal<[]>('removeDeployment');
const queueQuery = defineQuery<{ running: string | null; queued: SubmittedRevision[] }>('queue');

const LINGER = '1 minute';

const RETRY = { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' } as const;

const { stepRevision, isBeingDeleted } = proxyActivities<RevisionActivities>({
  startToCloseTimeout: STEP_TIMEOUT,
  retry: RETRY,
});
const { stopRevision, eraseDeployment } = proxyActivities<RevisionActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: STOP_HEARTBEAT,
  retry: RETRY,
});

/**
 * Executes a deployment's revisions, one at a time. Ends when idle; continues as new only between revisions.
 */
export async function deployment(input: DeploymentInput): Promise<void> {
  const { deployment_id, build_queue } = input;
  const queue = new RevisionQueue(input.revisions);
  let current: { revision_id: string; scope: CancellationScope } | undefined;
  let removing = false;

  setHandler(submitRevision, async (submitted) => {
    if (current?.revision_id === submitted.revision_id || queue.has(submitted.revision_id)) return;
    queue.add(submitted);
    if (current) await stepRevision({ revision_id: submitted.revision_id, status: 'QUEUED', deployment_id });
  });
  setHandler(interruptRevision, async (revision_id) => {
    if (current?.revision_id === revision_id) {
      current.scope.cancel();
      return;
    }
    // It may never have been submitted, if the API died before it signalled.
    queue.remove(revision_id);
    await stepRevision({ revision_id, status: 'INTERRUPTED', message: 'interrupted', deployment_id });
  });
  setHandler(removeDeployment, () => {
    removing = true;
    current?.scope.cancel();
  });
  setHandler(queueQuery, () => ({ running: current?.revision_id ?? null, queued: [...queue.queued] }));

  const execute = async ({ revision_id }: SubmittedRevision) => {
    const scope = new CancellationScope();
    current = { revision_id, scope };
    setCurrentDetails(`Executing revision \`${revision_id}\`.`);
    try {
      await scope.run(() =>
        executeChild(revision, {
          workflowId: `revision/${revision_id}`,
          args: [{ revision_id, deployment_id, build_queue }],
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          staticSummary: `revision ${revision_id}`,
        }),
      );
    } catch (error) {
      // A revision records its own failures; this one never started, or was terminated.
      const interrupted = isCancellation(error);
      if (!interrupted) await stopRevision({ revision_id, deployment_id });
      const [status, message] = interrupted
        ? ['INTERRUPTED', 'interrupted']
        : ['FAILED', 'Its workflow was terminated'];
      await stepRevision({ revision_id, status, message, deployment_id });
    } finally {
      current = undefined;
      setCurrentDetails('Idle.');
    }
  };

  for (;;) {
    if (removing) {
      // Anyone who reaches Temporal can send the signal: the database decides.
      if (patched('removals are asked for') && !(await isBeingDeleted({ deployment_id }))) {
        removing = false;
        continue;
      }
      for (const { revision_id } of queue.queued)
        await stepRevision({ revision_id, status: 'SKIPPED', deployment_id });
      await eraseDeployment({ deployment_id });
      await condition(allHandlersFinished);
      return;
    }
    if (workflowInfo().continueAsNewSuggested) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof deployment>({ ...input, revisions: [...queue.queued] });
    }
    const next = queue.next();
    if (!next) {
      if (!(await condition(() => removing || queue.queued.length > 0, LINGER))) {
        await condition(allHandlersFinished);
        return;
      }
      continue;
    }
    const message = `superseded by ${next.turn.revision_id}`;
    for (const { revision_id } of next.skipped)
      await stepRevision({ revision_id, status: 'SKIPPED', message, deployment_id });
    await execute(next.turn);
  }
}
