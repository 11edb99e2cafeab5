import type { SettleReason } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { EventClock } from '../events/event-id.ts';
import { underRunContext } from '../encryption/encryption-context.ts';
import { deleteRunCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import { findOrigin } from '../checkpoints/checkpoint-repository.ts';
import { currentState } from './current-state.ts';
import { deleteRun, type Removal } from './run-deletion.ts';
import { resultText } from './run-result.ts';
import { findUnsettled, markRolledBack, type UnsettledRun } from './in-flight-repository.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';
import { settleRun } from './run-settlement.ts';

const FAILURES: Partial<Record<SettleReason, PublicFailure>> = {
  timeout: { error: 'TimeoutError', message: 'The run exceeded its time limit' },
  lost: { error: 'WorkerLost', message: 'The run could not be executed' },
};

const USER_INTERRUPT: PublicFailure = { error: 'UserInterrupt', message: 'The run was cancelled' };

/**
 * Ends a run from outside its attempt, which has left or can no longer write. `rollback` removes the run and its
 * checkpoints; the others keep what the graph had reached. Returns false when the run has its outcome already, or
 * is in none of the states `from`.
 */
export async function settleFromOutside(
  deps: AgentDeps,
  runId: string,
  reason: SettleReason,
  from: ('pending' | 'running')[] = ['pending', 'running'],
): Promise<boolean> {
  if (reason === 'rollback') return rollBack(deps, runId, from);
  const run = await findUnsettled(deps.db, runId);
  if (!run || !from.includes(run.status)) return false;
  return underRunContext(run.kwargs.config.configurable, () => settle(deps, run, reason, from));
}

async function settle(
  deps: AgentDeps,
  run: UnsettledRun,
  reason: SettleReason,
  from: ('pending' | 'running')[],
): Promise<boolean> {
  const state = run.status === 'running' ? await currentState(deps, run) : undefined;
  const failure = FAILURES[reason] ?? null;
  const clock = new EventClock(run.now_ms, run.last_event_ms);
  const event = (name: string, data: unknown) => ({
    id: clock.next(),
    event: name,
    data: JSON.stringify(data),
  });
  return settleRun(deps.db, {
    run_id: run.run_id,
    thread_id: run.thread_id,
    from,
    status: failure ? 'error' : 'interrupted',
    cancelled: !failure,
    state,
    error: failure,
    thread_error: failure ?? (run.status === 'running' ? USER_INTERRUPT : null),
    events: [
      ...(failure ? [event('error', failure)] : []),
      event('run_done', { status: 'run_done', run_id: run.run_id }),
    ],
    resumable: run.kwargs.resumable,
    webhook: Boolean(run.kwargs.webhook),
    thread_expires_in: run.kwargs.temporary ? deps.config.SLIPWAY_EVENT_RETENTION_SECONDS : undefined,
    output: resultText({ error: failure, state }),
  });
}

/** Ends a run and removes it; its readers hear of its end once nothing of it is left. May be tried again. */
async function rollBack(deps: AgentDeps, runId: string, from: ('pending' | 'running')[]): Promise<boolean> {
  const run = await markRolledBack(deps.db, runId, from);
  if (!run) return false;
  const id = new EventClock(run.now_ms, run.last_event_ms).next();
  const data = JSON.stringify({ status: 'run_done', run_id: runId });
  const { temporary, webhook } = run.kwargs;
  const events = [{ id, event: 'run_done', data }];
  await underRunContext(run.kwargs.config.configurable, () =>
    eraseRun(deps, run, { temporary, webhook: Boolean(webhook), events }),
  );
  return true;
}

/** Removes a run that has its outcome as if it had never been: the thread's state is what it was before. */
export async function eraseRun(
  deps: AgentDeps,
  run: Pick<UnsettledRun, 'run_id' | 'thread_id' | 'graph_id'>,
  removal: Removal = {},
): Promise<void> {
  const { run_id, thread_id } = run;
  await deleteRunCheckpoints(deps.db, thread_id, run_id);
  // Runs of one thread may be of different graphs: the state that is left is read by the graph that made it.
  const origin = await findOrigin(deps.db, thread_id);
  const graph_id = origin?.graph_id ?? run.graph_id;
  await deleteRun(deps.db, run, {
    state: await currentState(deps, { thread_id, graph_id }),
    origin,
    ...removal,
  });
}
