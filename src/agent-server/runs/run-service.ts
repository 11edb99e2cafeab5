import type { QueuedRun } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { ThreadBusy, ThreadNotFound } from '../errors.ts';
import { notifyDisplaced } from './run-claim.ts';
import { planRun, type RunPlan, type RunRequest } from './run-plan.ts';
import { deleteUnqueuedRun, insertRun } from '../records/run-repository.ts';
import type { Run, RunCreate } from '../records/run.ts';

/**
 * Records the run, then queues it once `listening` has settled, so that its reader misses no event. Throws what
 * `planRun` throws, ThreadBusy, and Unavailable if the queue cannot be reached; then the run is removed again unless
 * the request has a claim.
 */
export async function acceptRun(
  deps: AgentDeps,
  create: RunCreate,
  request: RunRequest,
  listening?: Promise<void>,
): Promise<Run> {
  return placeRun(deps, await planRun(deps, create, request), listening);
}

async function placeRun(
  deps: AgentDeps,
  { run: planned, before, ownThread, kept }: RunPlan,
  listening?: Promise<void>,
): Promise<Run> {
  const { thread_id, run_id, graph_id, multitask_strategy, after_seconds } = planned;
  const inserted = await insertRun(deps.db, planned, before);
  if (!inserted) throw multitask_strategy === 'reject' ? new ThreadBusy() : new ThreadNotFound(thread_id);
  const { run, first } = inserted;
  const due = after_seconds ? { due_ms: Date.now() + after_seconds * 1000 } : {};
  try {
    await listening;
    await deps.threads.enqueue(thread_id, queuedRun(deps, { ...run, graph_id, ...due }), { brief: first });
    // A workflow task that executes a run receives the signal only when it ends.
    const displaces = multitask_strategy === 'interrupt' || multitask_strategy === 'rollback';
    if (displaces && deps.config.SLIPWAY_LOCAL_RUN_MS > 0)
      await notifyDisplaced(deps.db, thread_id, run_id).catch((error: unknown) =>
        deps.log.warn({ err: error, run_id }, 'could not notify the displaced run'),
      );
  } catch (error) {
    if (!kept) await deleteUnqueuedRun(deps.db, thread_id, run_id, ownThread);
    throw error;
  }
  return run;
}

/** The run as passed to its thread's workflow. */
export function queuedRun(
  { config, threads }: Pick<AgentDeps, 'config' | 'threads'>,
  run: {
    run_id: string;
    assistant_id: string;
    graph_id: string;
    due_ms?: number;
    multitask_strategy?: string;
    kwargs?: { webhook?: string | null };
  },
): QueuedRun {
  return {
    run_id: run.run_id,
    graph_id: run.graph_id,
    assistant_id: run.assistant_id,
    multitask_strategy: (run.multitask_strategy ?? 'enqueue') as QueuedRun['multitask_strategy'],
    task_queue: threads.runQueue,
    timeout_ms: config.SLIPWAY_RUN_TIMEOUT_SECONDS * 1000,
    ...(run.due_ms !== undefined && { due_ms: run.due_ms }),
    ...(run.kwargs?.webhook && { webhook: true }),
  };
}
