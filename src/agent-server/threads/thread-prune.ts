import { randomUUID } from 'node:crypto';
import type { PruneThreadsInput, PruneThreadsWorkflow } from '../../../workflows/runs/contracts.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { keepLatestCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import { requestPrune, endPrune, listRequestedPrunes } from '../records/thread-prune-repository.ts';
import { listReachable, lockResting } from '../records/thread-repository.ts';
import { removeThreads } from './thread-removal.ts';

type Strategy = PruneThreadsInput['strategy'];

// Up to this many, pruning directly is faster than starting a workflow.
const AT_ONCE = 100;
// Temporal limits payloads to 2 MB.
const IN_A_WORKFLOW = 20_000;

/** The threads that the caller may delete. Throws the errors of the project's authorization. */
export async function pruneFor(
  deps: AgentDeps,
  caller: Caller,
  { thread_ids, strategy }: PruneThreadsInput,
): Promise<number> {
  const reach = await deps.access.authorize(caller, 'threads', 'delete', { thread_ids });
  return pruneThreads(deps, reach ? await listReachable(deps.db, thread_ids, reach) : thread_ids, strategy);
}

/**
 * Deletes the threads, or all but their latest checkpoints. Skips unknown ids and doesn't prune threads with a run in
 * flight. Returns the count. Large batches run in a workflow, which survives this process. Throws Unavailable.
 */
export async function pruneThreads(
  deps: AgentDeps,
  threadIds: string[],
  strategy: Strategy,
): Promise<number> {
  const ids = [...new Set(threadIds)];
  if (ids.length <= AT_ONCE) return pruneNow(deps, ids, strategy);
  const parts = Array.from({ length: Math.ceil(ids.length / IN_A_WORKFLOW) }, (_, part) =>
    ids.slice(part * IN_A_WORKFLOW, (part + 1) * IN_A_WORKFLOW),
  );
  const counts = await Promise.all(parts.map((part) => pruneInWorkflow(deps, part, strategy)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** For the workflow: skips threads without a request, because anything that reaches Temporal could have started it. */
export async function pruneRequested(deps: AgentDeps, input: PruneThreadsInput): Promise<number> {
  const { strategy } = input;
  const thread_ids = await listRequestedPrunes(deps.db, input);
  const pruned = await pruneNow(deps, thread_ids, strategy);
  await endPrune(deps.db, { thread_ids, strategy });
  return pruned;
}

/** Like `pruneThreads`, but in this process. */
async function pruneNow(deps: AgentDeps, threadIds: string[], strategy: Strategy): Promise<number> {
  if (threadIds.length === 0) return 0;
  if (strategy === 'delete') return removeThreads(deps, threadIds);
  return inTransaction(deps.db, async (tx) => {
    const resting = await lockResting(tx, threadIds);
    await keepLatestCheckpoints(tx, resting);
    return resting.length;
  });
}

async function pruneInWorkflow(deps: AgentDeps, thread_ids: string[], strategy: Strategy): Promise<number> {
  const { temporal, threads, config } = deps;
  await requestPrune(deps.db, { thread_ids, strategy });
  const workflowId = `${config.SLIPWAY_DEPLOYMENT}/prune/${randomUUID()}`;
  const handle = await temporal.workflow
    .start<PruneThreadsWorkflow>('pruneThreads', {
      workflowId,
      taskQueue: threads.taskQueue,
      args: [{ thread_ids, strategy }],
      staticSummary: `${strategy} ${thread_ids.length} threads`,
    })
    .catch((error: unknown) => {
      deps.log.warn({ err: error }, 'could not prune threads');
      throw new Unavailable('Temporal cannot be reached; try again');
    });
  return handle.result();
}
