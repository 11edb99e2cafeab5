import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  startChild,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { CanaryActivities } from '../activities/canary-activities.ts';
import type { RevisionActivities } from '../activities/revision-activities.ts';
import { type RevisionInput, type RevisionSteps, WATCH_SLACK_MS } from './revision-contracts.ts';
import { retirement } from './retirement.ts';
import { watchCanary } from './watch-canary.ts';

const RETRY = { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' } as const;
const HEARTBEAT = '5 seconds';
// One that shows progress is waited for: the driver gives it up at three times, with what it knows.
const DEPLOY_PATIENCE = 4;
// A step of work is repeated when its worker died, and not when it failed.
const ONLY_LOST = { ...RETRY, maximumAttempts: 5 } as const;

const { stepRevision, planRevision, cutOver, stopRevision } = proxyActivities<RevisionActivities>({
  startToCloseTimeout: '1 minute',
  retry: RETRY,
});

const canaries = proxyActivities<CanaryActivities>({ startToCloseTimeout: '1 minute', retry: RETRY });

/** From an accepted revision to one that serves, or to the state that says why not. It always ends in one. */
export async function revision({ revision_id, deployment_id, build_queue }: RevisionInput): Promise<string> {
  const done: string[] = [];
  const note = (step: string) => {
    done.push(step);
    setCurrentDetails(done.map((line) => `- ${line}`).join('\n'));
  };
  let previous: string | null = null;
  let isCanary = false;
  let steps: RevisionSteps;
  try {
    steps = await planRevision({ revision_id });
    if (steps.builds) {
      await stepRevision({ revision_id, status: 'AWAITING_BUILD' });
      note('waiting for a builder');
      await work(steps, steps.build_timeout_ms, build_queue).buildRevision({ revision_id });
      note('built');
    }
    await stepRevision({ revision_id, status: 'AWAITING_DEPLOY' });
    note('starting');
    await work(steps, steps.deploy_timeout_ms * DEPLOY_PATIENCE).deployRevision({ revision_id });
    note('healthy');
    isCanary =
      steps.canary === true &&
      (await CancellationScope.nonCancellable(() => canaries.beginCanary({ revision_id })));
    if (!isCanary)
      previous = await CancellationScope.nonCancellable(() => cutOver({ revision_id, deployment_id }));
  } catch (error) {
    return CancellationScope.nonCancellable(async () => {
      const status = isCancellation(error) ? 'INTERRUPTED' : 'FAILED';
      await stopRevision({ revision_id });
      return stepRevision({ revision_id, status, message: explain(error) });
    });
  }
  if (isCanary) {
    note('tried as a canary');
    await CancellationScope.nonCancellable(() =>
      startChild(watchCanary, {
        workflowId: `canary/${revision_id}`,
        args: [{ revision_id, deployment_id }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `revision ${revision_id} is tried beside the one that serves`,
      }),
    );
    return 'DEPLOYED';
  }
  // From here on it serves: nothing that fails may take it down.
  note('serving');
  if (previous) {
    // The next revision need not wait for what the previous one still has to finish.
    await CancellationScope.nonCancellable(() =>
      startChild(retirement, {
        workflowId: `retirement/${previous}`,
        args: [{ revision_id: previous, timeout_ms: steps.drain_timeout_ms }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `revision ${previous} finishes what it has begun, then stops`,
      }),
    );
  }
  return 'DEPLOYED';
}

/** Long activities: watched by heartbeat, told of cancellation, and given up when nobody takes them. */
const work = (
  { pickup_timeout_ms, build_priority: priority }: RevisionSteps,
  timeoutMs: number,
  taskQueue?: string,
) =>
  proxyActivities<RevisionActivities>({
    startToCloseTimeout: timeoutMs + WATCH_SLACK_MS,
    scheduleToStartTimeout: pickup_timeout_ms,
    heartbeatTimeout: HEARTBEAT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: ONLY_LOST,
    ...(taskQueue && { taskQueue }),
    ...(taskQueue &&
      priority && { priority: { priorityKey: priority.level, fairnessKey: priority.tenant_id } }),
  });

function explain(error: unknown): string {
  if (isCancellation(error)) return 'interrupted';
  if (error instanceof ActivityFailure) {
    if (error.cause instanceof TimeoutFailure) return 'it took too long';
    if (error.cause instanceof ApplicationFailure) return error.cause.message;
  }
  return 'it failed';
}
