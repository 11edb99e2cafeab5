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
import type {
  ExecuteRunInput,
  ExecuteRunResult,
  RunActivities,
  RunToExecute,
  SettleReason,
  ThreadInput,
  TurnProgress,
} from './contracts.ts';
import { beginLocally, join } from './local-execution.ts';
import type { Turn } from './turn.ts';

// The notification may stop a graph before the workflow itself receives the cancellation.
const CANCEL_LAG = '5 seconds';
// A replaced revision doesn't come back: runs it never started move to another.
const PICKUP_TIMEOUT = '10 seconds';
// The activity enforces the time limit; this catches one that can't.
const TIMEOUT_SLACK_MS = 10_000;

/**
 * Executes the turn's runs on their revision's workers. The result is about `turn.run`, the last one started: undefined
 * if the activity settled it, a reason if the workflow must, `again` if the graph left unasked, `unclaimed` if its
 * revision has no workers left.
 */
export async function executeToOutcome(
  turn: Turn,
  input: ThreadInput,
  onProgress: (progress: TurnProgress) => void,
): Promise<SettleReason | 'again' | 'unclaimed' | undefined> {
  const { scope } = turn;
  let result: ExecuteRunResult | TurnProgress;
  try {
    result = await scope.run(() => execute(turn, input, onProgress));
  } catch (error) {
    turn.locate();
    if (turn.stop) return turn.stop;
    if (isCancellation(error)) return 'interrupt';
    const timeout = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure && error.cause;
    if (!timeout) return 'lost';
    return timeout.timeoutType === 'SCHEDULE_TO_START' ? 'unclaimed' : 'timeout';
  }
  const progress = typeof result === 'object' ? result : toProgress(result, turn.run.run_id, turn.number);
  onProgress(progress);
  if (progress.settled.includes(turn.run.run_id)) return undefined;
  // The thread workflow was cancelled.
  if (scope.consideredCancelled && !turn.stop) return 'interrupt';
  if (progress.current)
    await CancellationScope.nonCancellable(() => condition(() => turn.stop !== undefined, CANCEL_LAG));
  return turn.stop ?? 'again';
}

/** Executes the turn within the workflow task while it is short, then in activities. */
async function execute(
  turn: Turn,
  input: ThreadInput,
  onProgress: (progress: TurnProgress) => void,
): Promise<ExecuteRunResult | TurnProgress> {
  const { local_ms, heartbeat_timeout_ms } = input;
  const scheduleToCloseTimeout =
    Math.max(...turn.runs.map(({ timeout_ms }) => timeout_ms)) + TIMEOUT_SLACK_MS;
  let runs = turn.runs;
  if (local_ms) {
    const begun = await beginLocally(turn, local_ms, toInput(turn.number, runs));
    if (begun && !begun.process_queue) return begun;
    if (begun?.process_queue) {
      onProgress(begun);
      const joined = await join(turn, input, { taskQueue: begun.process_queue, scheduleToCloseTimeout });
      if (joined) return joined;
      runs = [turn.run];
    }
  }
  const { run } = turn;
  const next = runs.length - 1;
  // The deployment's own queue is the last resort, so it waits without limit.
  const isHome = run.task_queue === workflowInfo().taskQueue;
  const { executeRun } = proxyActivities<RunActivities>({
    taskQueue: run.task_queue,
    heartbeatTimeout: heartbeat_timeout_ms,
    scheduleToCloseTimeout,
    ...(!isHome && { scheduleToStartTimeout: PICKUP_TIMEOUT }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // Claims in Postgres count attempts; waiting for a worker or the database doesn't.
    retry: { initialInterval: '100 milliseconds', maximumInterval: '5 seconds' },
    summary: `run ${run.run_id} · ${run.graph_id}${next > 0 ? ` · up to ${next} queued behind it` : ''}`,
  });
  return executeRun(toInput(turn.number, runs));
}

function toInput(turn: number, runs: readonly RunToExecute[]): ExecuteRunInput {
  const [first, ...next] = runs.map(({ run_id, timeout_ms }) => ({ run_id, timeout_ms }));
  return { ...first!, turn, ...(next.length > 0 && { next }) };
}

/** Workers may return a plain result for one run. */
const toProgress = (result: ExecuteRunResult, runId: string, turn: number): TurnProgress =>
  result === 'settled' ? { turn, settled: [runId] } : { turn, settled: [], current: runId };
