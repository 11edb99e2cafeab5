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
import type { ExecuteRunResult, SettleReason, ThreadInput, TurnProgress } from './contracts.ts';
import type { Turn } from './turn.ts';

// A graph told to stop by notification may have left before the workflow receives the cancellation itself.
const CANCEL_LAG = '5 seconds';
// A revision that was replaced is gone for good: what it accepted and never started goes on in another.
const PICKUP_TIMEOUT = '10 seconds';
// The activity ends its own run in time; this only catches one that cannot.
const TIMEOUT_SLACK_MS = 10_000;

/**
 * Executes the turn's runs on their revision's workers, and tells of `turn.run`, the last that was begun. Undefined
 * when the activity settled it; a reason when the workflow must; `again` when the graph left without anyone asking;
 * `unclaimed` when its revision has no workers any more.
 */
export async function executeToOutcome(
  turn: Turn,
  { heartbeat_timeout_ms }: ThreadInput,
  onProgress: (progress: TurnProgress) => void,
): Promise<SettleReason | 'again' | 'unclaimed' | undefined> {
  const { run, scope, runs } = turn;
  const [first, ...next] = runs.map(({ run_id, timeout_ms }) => ({ run_id, timeout_ms }));
  // On the deployment's own queue there is nobody else to turn to: it waits for as long as it takes.
  const isHome = run.task_queue === workflowInfo().taskQueue;
  const { executeRun } = proxyActivities<RunActivities>({
    taskQueue: run.task_queue,
    heartbeatTimeout: heartbeat_timeout_ms,
    scheduleToCloseTimeout: Math.max(...runs.map(({ timeout_ms }) => timeout_ms)) + TIMEOUT_SLACK_MS,
    ...(!isHome && { scheduleToStartTimeout: PICKUP_TIMEOUT }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Attempts are counted in Postgres, by claims: waiting for a worker or a database is not one.
    retry: { initialInterval: '100 milliseconds', maximumInterval: '5 seconds' },
    summary: `run ${run.run_id} · ${run.graph_id}${next.length > 0 ? ` · up to ${next.length} behind it` : ''}`,
  });
  let result: ExecuteRunResult | TurnProgress;
  try {
    const turnOfSeveral = next.length > 0 ? { next, turn: turn.number } : {};
    result = await scope.run(() => executeRun({ ...first!, ...turnOfSeveral }));
  } catch (error) {
    turn.locate();
    if (turn.stop) return turn.stop;
    if (isCancellation(error)) return 'interrupt';
    const timeout = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause;
    if (!timeout) return 'lost';
    return timeout.timeoutType === 'SCHEDULE_TO_START' ? 'unclaimed' : 'timeout';
  }
  const progress = typeof result === 'object' ? result : told(result, run.run_id, turn.number);
  onProgress(progress);
  if (progress.settled.includes(turn.run.run_id)) return undefined;
  // The whole thread was cancelled.
  if (scope.consideredCancelled && !turn.stop) return 'interrupt';
  if (progress.current)
    await CancellationScope.nonCancellable(() => condition(() => turn.stop !== undefined, CANCEL_LAG));
  return turn.stop ?? 'again';
}

/** What workers say that execute one run at a time. */
const told = (result: ExecuteRunResult, runId: string, turn: number): TurnProgress =>
  result === 'settled' ? { turn, settled: [runId] } : { turn, settled: [], current: runId };
