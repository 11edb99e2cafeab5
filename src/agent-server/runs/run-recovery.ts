import { WorkflowNotFoundError } from '@temporalio/client';
import type { ThreadQueueView } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { listRolledBack, listStale } from '../records/in-flight-repository.ts';
import { queuedRun } from './run-service.ts';
import { notifyStop } from './run-claim.ts';
import { settleFromOutside } from './outside-settlement.ts';

const MOST_THREADS = 500;
const MOST_REMOVALS = 500;

/**
 * Finds unsettled runs whose thread has no open workflow. If an operator terminated the workflow, its runs end as
 * interrupted; if it never existed because the API died first, they are queued. Also removes runs whose rollback was
 * cut short.
 */
export async function recoverRuns(deps: AgentDeps): Promise<{ adopted: number; settled: number }> {
  const count = { adopted: 0, settled: 0 };
  const seconds = deps.config.SLIPWAY_SWEEP_SECONDS;
  for (const runId of await listRolledBack(deps.db, seconds, MOST_REMOVALS)) {
    if (await settleFromOutside(deps, runId, 'rollback')) count.settled++;
  }
  const stale = await listStale(deps.db, seconds, MOST_THREADS);
  for (const threadId of new Set(stale.map(({ thread_id }) => thread_id))) {
    const state = await queueState(deps, threadId);
    const runs = stale.filter(({ thread_id }) => thread_id === threadId);
    for (const run of runs) {
      if (state.closedAt && state.terminated && state.closedAt > run.accepted_ms) {
        await notifyStop(deps.db, run.run_id);
        await settleFromOutside(deps, run.run_id, 'interrupt');
        count.settled++;
      } else if (!state.held.has(run.run_id)) {
        await deps.threads.enqueue(threadId, queuedRun(deps, run));
        count.adopted++;
      }
    }
  }
  return count;
}

interface QueueState {
  held: Set<string>;
  terminated: boolean;
  closedAt: number | undefined;
}

async function queueState(deps: AgentDeps, threadId: string): Promise<QueueState> {
  const handle = deps.temporal.workflow.getHandle(deps.threads.workflowId(threadId));
  try {
    const { status, closeTime } = await handle.describe();
    if (status.name === 'RUNNING') {
      const { running, queued } = await handle.query<ThreadQueueView>('queue');
      return {
        held: new Set([...(running ? [running] : []), ...queued].map(({ run_id }) => run_id)),
        ...OPEN,
      };
    }
    return { held: new Set(), terminated: status.name === 'TERMINATED', closedAt: closeTime?.getTime() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { held: new Set(), ...OPEN };
    throw error;
  }
}

const OPEN = { terminated: false, closedAt: undefined };
