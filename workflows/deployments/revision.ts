import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setHandler,
  startChild,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  type CanaryActivities,
  type RevisionActivities,
  type RevisionInput,
  type RevisionSteps,
  STEP_TIMEOUT,
  STOP_HEARTBEAT,
  WATCH_SLACK_MS,
} from './contracts.ts';
import { RevisionProgress } from './revision-progress.ts';
import { retirement } from './retirement.ts';
import { watchCanary } from './watch-canary.ts';

const RETRY = { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' } as const;
const HEARTBEAT = '5 seconds';
// The driver waits up to three times the limit for a start that shows progress, and fails with better detail.
const DEPLOY_PATIENCE = 4;
/** Failure type of a deployment that needs approval (src/control-plane/errors.ts). */
const NEEDS_APPROVAL = 'NeedsApproval';
// Retries lost workers only: failures of the work are not retryable.
const RETRY_LOST = { ...RETRY, maximumAttempts: 5 } as const;

const { stepRevision, approveRevision, planRevision, cutOver } = proxyActivities<RevisionActivities>({
  startToCloseTimeout: STEP_TIMEOUT,
  retry: RETRY,
});
const { stopRevision } = proxyActivities<RevisionActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: STOP_HEARTBEAT,
  retry: RETRY,
});

/** Approves the revision; `by` names the approver. */
const approveSignal = defineSignal<[by?: string]>('approve');
const interruptSignal = defineSignal('interrupt');
/** Restarts the current build or start. */
const retrySignal = defineSignal('retry');

const canaries = proxyActivities<CanaryActivities>({ startToCloseTimeout: '1 minute', retry: RETRY });

/** Builds, deploys and cuts over a revision. Always ends in a terminal status, which it returns. */
export async function revision({ revision_id, deployment_id, build_queue }: RevisionInput): Promise<string> {
  const progress = new RevisionProgress();
  const whole = new CancellationScope();
  let attempt: CancellationScope | undefined;
  let isRetried = false;
  let approval: { by: string | undefined } | undefined;
  setHandler(interruptSignal, () => whole.cancel());
  setHandler(approveSignal, (by) => void (approval ??= { by }));
  setHandler(retrySignal, () => {
    isRetried = attempt !== undefined;
    attempt?.cancel();
  });

  /** Runs work that the `retry` signal restarts. */
  const repeatable = async (run: () => Promise<void>) => {
    for (;;) {
      attempt = new CancellationScope();
      isRetried = false;
      try {
        return await attempt.run(run);
      } catch (error) {
        if (!isRetried || !isCancellation(error) || whole.consideredCancelled) throw error;
        progress.note('restarted by an operator');
        await stopRevision({ revision_id, deployment_id });
      } finally {
        attempt = undefined;
      }
    }
  };

  /** Waits for approval. Returns the reason if it is not granted. */
  const awaitApproval = async (timeoutMs: number): Promise<string | undefined> => {
    await stepRevision({
      revision_id,
      status: 'AWAITING_DEPLOY',
      message: 'waiting for approval',
      deployment_id,
    });
    progress.note('waiting for approval: signal `approve`, or the API');
    if (!(await condition(() => approval !== undefined, timeoutMs))) return 'not approved in time';
    const { by } = approval!;
    progress.note(`approved by ${by ?? 'an operator in Temporal'}`);
    await approveRevision({ revision_id, ...(by !== undefined && { by }) });
    return undefined;
  };

  let steps: RevisionSteps;
  const start = () =>
    repeatable(() => work(steps, steps.deploy_timeout_ms * DEPLOY_PATIENCE).deployRevision({ revision_id }));
  let outcome: { isCanary: boolean; previous: string | null };
  const arrive = async () => {
    steps = await planRevision({ revision_id });
    if (steps.builds) {
      await stepRevision({ revision_id, status: 'AWAITING_BUILD', deployment_id });
      progress.note('waiting for a builder, then building');
      await repeatable(() => work(steps, steps.build_timeout_ms, build_queue).buildRevision({ revision_id }));
      progress.note('built');
    }
    if (steps.approval_timeout_ms) {
      const refusal = await awaitApproval(steps.approval_timeout_ms);
      if (refusal) throw ApplicationFailure.nonRetryable(refusal);
    } else await stepRevision({ revision_id, status: 'AWAITING_DEPLOY', deployment_id });
    progress.note('starting');
    try {
      await start();
    } catch (error) {
      if (!isApprovalMissing(error) || !patched('approval asked for on the way')) throw error;
      // Approval became required after the revision was planned.
      const { approval_timeout_ms } = await planRevision({ revision_id });
      const refusal = approval_timeout_ms ? await awaitApproval(approval_timeout_ms) : undefined;
      if (refusal) throw ApplicationFailure.nonRetryable(refusal);
      await start();
    }
    progress.note('healthy');
    return CancellationScope.nonCancellable(async () => {
      const isCanary = steps.canary === true && (await canaries.beginCanary({ revision_id }));
      return { isCanary, previous: isCanary ? null : await cutOver({ revision_id, deployment_id }) };
    });
  };
  try {
    outcome = await whole.run(arrive);
  } catch (error) {
    return CancellationScope.nonCancellable(async () => {
      const status = isCancellation(error) ? 'INTERRUPTED' : 'FAILED';
      const message = explain(error);
      progress.note(message);
      await stopRevision({ revision_id, deployment_id });
      return stepRevision({ revision_id, status, message, deployment_id });
    });
  }
  const { isCanary, previous } = outcome;
  if (isCanary) {
    progress.note('running as a canary');
    await CancellationScope.nonCancellable(() =>
      startChild(watchCanary, {
        workflowId: `canary/${revision_id}`,
        args: [{ revision_id, deployment_id }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `revision ${revision_id} runs as a canary`,
      }),
    );
    return 'DEPLOYED';
  }
  // It serves now: no later failure may take it down.
  progress.note('serving');
  if (previous) {
    // Retires the previous revision in the background, so that the next one doesn't wait.
    await CancellationScope.nonCancellable(() =>
      startChild(retirement, {
        workflowId: `retirement/${previous}`,
        args: [{ revision_id: previous, timeout_ms: steps.drain_timeout_ms }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `revision ${previous} finishes its runs, then stops`,
      }),
    );
  }
  return 'DEPLOYED';
}

/** Long activities: heartbeats, cancellable, and time out when no worker picks them up. */
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
    retry: RETRY_LOST,
    ...(taskQueue && { taskQueue }),
    ...(taskQueue &&
      priority && { priority: { priorityKey: priority.level, fairnessKey: priority.tenant_id } }),
  });

const isApprovalMissing = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === NEEDS_APPROVAL;

function explain(error: unknown): string {
  if (isCancellation(error)) return 'interrupted';
  if (error instanceof ApplicationFailure) return error.message;
  if (error instanceof ActivityFailure) {
    if (error.cause instanceof TimeoutFailure) return 'timed out';
    if (error.cause instanceof ApplicationFailure) return error.cause.message;
  }
  return 'internal error';
}
