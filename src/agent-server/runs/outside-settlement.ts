import type { SettleReason } from '../../../workflows/runs/contracts.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { EventClock } from '../events/event-id.ts';
import { underRunContext } from '../encryption/encryption-context.ts';
import { deleteRunCheckpoints } from '../checkpoints/checkpoint-maintenance.ts';
import { findOrigin } from '../checkpoints/checkpoint-repository.ts';
import { currentState } from './current-state.ts';
import { deleteRun, type Removal } from './run-deletion.ts';
import { resultText } from './run-result.ts';
import { findUnsettled, markRolledBack, type UnsettledRun } from '../records/in-flight-repository.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';
import { notifyStop } from './run-claim.ts';
import { settleRun } from './run-settlement.ts';

const FAILURES: Partial<Record<SettleReason, PublicFailure>> = {
  timeout: { error: 'TimeoutError', message: 'The run exceeded its time limit' },
  lost: { error: 'WorkerLost', message: 'The run could not be executed' },
};

const USER_INTERRUPT: PublicFailure = { error: 'UserInterrupt', message: 'The run was cancelled' };

/**
 * Settles a run from outside its attempt, which has ended or can no longer write. `rollback` removes the run and its
 * checkpoints; other reasons keep the state the graph reached. Returns false if the run is already settled or its
 * status is not in `from`.
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
  const settled = await settleRun(deps.db, {
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
  // Nothing else stops a run that no activity waits for.
  if (settled && run.status === 'running') await notifyStop(deps.db, run.run_id);
  return settled !== false;
}

/** Ends and removes a run. Its readers are notified only after it is gone. Can be retried. */
async function rollBack(deps: AgentDeps, runId: string, from: ('pending' | 'running')[]): Promise<boolean> {
  const run = await markRolledBack(deps.db, runId, from);
  if (!run) return false;
  await notifyStop(deps.db, runId);
  const id = new EventClock(run.now_ms, run.last_event_ms).next();
  const data = JSON.stringify({ status: 'run_done', run_id: runId });
  const { temporary, webhook } = run.kwargs;
  const events = [{ id, event: 'run_done', data }];
  await underRunContext(run.kwargs.config.configurable, () =>
    eraseRun(deps, run, { temporary, webhook: Boolean(webhook), events }),
  );
  return true;
}

/** Removes a settled run and restores the thread's previous state. */
export async function eraseRun(
  deps: AgentDeps,
  run: Pick<UnsettledRun, 'run_id' | 'thread_id' | 'graph_id'>,
  removal: Removal = {},
): Promise<void> {
  const { run_id, thread_id } = run;
  await deleteRunCheckpoints(deps.db, thread_id, run_id);
  // A thread may have run several graphs; only the graph that wrote the remaining state can read it.
  const origin = await findOrigin(deps.db, thread_id);
  const graph_id = origin?.graph_id ?? run.graph_id;
  await deleteRun(deps.db, run, {
    state: await currentState(deps, { thread_id, graph_id }),
    origin,
    ...removal,
  });
}
