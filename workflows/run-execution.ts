import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunActivities } from '../activities/run-activities.ts';
import type { CancelAction, ExecuteRunResult, QueuedRun, SettleReason, ThreadInput } from './contracts.ts';

// A graph told to stop by notification may have left before the workflow receives the cancellation itself.
const CANCEL_LAG = '5 seconds';
// A revision that was replaced is gone for good: what it accepted and never started goes on in another.
const PICKUP_TIMEOUT = '10 seconds';
// The activity ends its own run in time; this only catches one that cannot.
const TIMEOUT_SLACK_MS = 10_000;

/** The run that executes, and how it was told to stop. */
export interface Execution {
  run: QueuedRun;
  scope: CancellationScope;
  stop?: CancelAction;
}

/**
 * Executes the run on its revision's workers. Undefined when the activity settled it; a reason when the workflow
 * must; `again` when the graph left without anyone asking; `unclaimed` when its revision has no workers any more.
 */
export async function executeToOutcome(
  execution: Execution,
  { heartbeat_timeout_ms }: ThreadInput,
): Promise<SettleReason | 'again' | 'unclaimed' | undefined> {
  const { run, scope } = execution;
  // On the deployment's own queue there is nobody else to turn to: it waits for as long as it takes.
  const isHome = run.task_queue === workflowInfo().taskQueue;
  const { executeRun } = proxyActivities<RunActivities>({
    taskQueue: run.task_queue,
    heartbeatTimeout: heartbeat_timeout_ms,
    scheduleToCloseTimeout: run.timeout_ms + TIMEOUT_SLACK_MS,
    ...(!isHome && { scheduleToStartTimeout: PICKUP_TIMEOUT }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Attempts are counted in Postgres, by claims: waiting for a worker or a database is not one.
    retry: { initialInterval: '100 milliseconds', maximumInterval: '5 seconds' },
    summary: `run ${run.run_id} · ${run.graph_id}`,
  });
  let result: ExecuteRunResult;
  try {
    result = await scope.run(() => executeRun({ run_id: run.run_id, timeout_ms: run.timeout_ms }));
  } catch (error) {
    if (execution.stop) return execution.stop;
    if (isCancellation(error)) return 'interrupt';
    const timeout = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause;
    if (!timeout) return 'lost';
    return timeout.timeoutType === 'SCHEDULE_TO_START' ? 'unclaimed' : 'timeout';
  }
  if (result === 'settled') return undefined;
  // The whole thread was cancelled.
  if (scope.consideredCancelled && !execution.stop) return 'interrupt';
  await CancellationScope.nonCancellable(() => condition(() => execution.stop !== undefined, CANCEL_LAG));
  return execution.stop ?? 'again';
}
