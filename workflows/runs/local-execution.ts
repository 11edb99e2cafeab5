import {
  ActivityCancellationType,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type {
  ExecuteRunInput,
  ExecuteRunResult,
  LocalTurn,
  RunActivities,
  ThreadInput,
  TurnProgress,
} from './contracts.ts';
import type { Turn } from './turn.ts';

const { executeLocally } = proxyLocalActivities<RunActivities>({
  // Much longer than `local_ms`, for a process that is busy.
  startToCloseTimeout: '5 seconds',
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

// The process polls its queue, or is gone.
const JOIN_TIMEOUT = '2 seconds';

/** Begins the turn within the workflow task. Undefined if it didn't begin, or if no one knows how it ended. */
export async function beginLocally(
  { run }: Turn,
  local_ms: number,
  input: ExecuteRunInput,
): Promise<LocalTurn | undefined> {
  const turn = await orUndefined(executeLocally({ ...input, task_queue: run.task_queue, local_ms }));
  return turn === 'declined' ? undefined : turn;
}

/** Waits for the executing run in the process where it began. Undefined if that process is gone. */
export function join(
  { run, number }: Turn,
  { heartbeat_timeout_ms }: ThreadInput,
  { taskQueue, scheduleToCloseTimeout }: { taskQueue: string; scheduleToCloseTimeout: number },
): Promise<ExecuteRunResult | TurnProgress | undefined> {
  const { executeRun } = proxyActivities<RunActivities>({
    taskQueue,
    heartbeatTimeout: heartbeat_timeout_ms,
    scheduleToStartTimeout: JOIN_TIMEOUT,
    scheduleToCloseTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
    summary: `run ${run.run_id} · ${run.graph_id}`,
  });
  return orUndefined(executeRun({ run_id: run.run_id, timeout_ms: run.timeout_ms, turn: number }));
}

/** Undefined if the activity failed: another attempt shows whether the run did. Throws cancellations. */
async function orUndefined<Result>(activity: Promise<Result>): Promise<Result | undefined> {
  try {
    return await activity;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}
