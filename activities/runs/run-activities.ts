import { cancelled, Context } from '@temporalio/activity';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { settleFromOutside } from '../../src/agent-server/runs/outside-settlement.ts';
import type { AttemptEnd, StopCause } from '../../src/agent-server/runs/running-runs.ts';
import type { ExecuteRunResult, RunActivities, TurnProgress } from '../../workflows/runs/contracts.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { executeRun } from './execute-run.ts';
import { CONTINUES_MS, executeTurn } from './execute-turn.ts';
import { executeLocally } from './local-turn.ts';

const HEARTBEATS_PER_TIMEOUT = 4;

export const createRunActivities = (deps: AgentDeps): RunActivities => ({
  async executeRun({ next = [], turn = 0, ...first }) {
    const { controller, done } = followCancellation();
    const everyMs = (deps.config.SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS * 1000) / HEARTBEATS_PER_TIMEOUT;
    try {
      return await withHeartbeat<ExecuteRunResult | TurnProgress>(() => {
        const { signal } = controller;
        if (next.length === 0)
          return executeRun(deps, { ...first, signal }).then(toResult(first.run_id, turn));
        const { attempt, workflowExecution: thread } = Context.current().info;
        const report = (progress: TurnProgress) => deps.threads.noteProgress(thread!, progress);
        const runs = [first, ...next];
        // If an earlier attempt at the turn was lost, the workflow needs the result soon.
        const continuesMs = attempt > 1 ? 0 : CONTINUES_MS;
        return executeTurn(deps, { runs, turn, signal, continuesMs, report });
      }, everyMs);
    } finally {
      done();
    }
  },

  async executeLocally(input) {
    const { controller, done } = followCancellation();
    try {
      return await executeLocally(deps, input, controller.signal);
    } finally {
      done();
    }
  },

  async settleRun({ run_id, reason }) {
    await settleFromOutside(deps, run_id, reason);
  },
});

const toResult = (runId: string, turn: number) => (end: AttemptEnd) =>
  end === 'followed' ? { turn, settled: [runId], more: true } : end;

/**
 * Aborts when Temporal requests cancellation or the worker stops. An attempt that merely missed its heartbeat
 * continues: the next attempt joins it, or fences it off.
 */
function followCancellation(): { controller: AbortController; done: () => void } {
  const controller = new AbortController();
  let isDone = false;
  const { cancellationDetails } = Context.current();
  void cancelled().catch(() => {
    const details = Context.current().cancellationDetails ?? cancellationDetails;
    const cause: StopCause = details?.workerShutdown && !details.cancelRequested ? 'shutdown' : 'stop';
    if (!isDone && (details?.cancelRequested || details?.workerShutdown)) controller.abort(cause);
  });
  return { controller, done: () => (isDone = true) };
}
