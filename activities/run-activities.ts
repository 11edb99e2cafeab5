import { cancelled, Context, heartbeat } from '@temporalio/activity';
import { executeRun } from '../src/agent-server/runs/execute-run.ts';
import { executeTurn } from '../src/agent-server/runs/execute-turn.ts';
import { settleFromOutside } from '../src/agent-server/runs/outside-settlement.ts';
import type { StopCause } from '../src/agent-server/runs/running-runs.ts';
import type { AgentDeps } from '../src/agent-server/agent-deps.ts';
import type {
  ExecuteRunInput,
  ExecuteRunResult,
  SettleRunInput,
  TurnProgress,
} from '../workflows/contracts.ts';

const HEARTBEATS_PER_TIMEOUT = 4;

export type RunActivities = ReturnType<typeof createRunActivities>;

export const createRunActivities = (deps: AgentDeps) => ({
  /** Drives the run's graph from its last checkpoint to its outcome, and while it is early those behind it. */
  async executeRun({
    next = [],
    turn = 0,
    ...first
  }: ExecuteRunInput): Promise<ExecuteRunResult | TurnProgress> {
    const { controller, done } = followCancellation();
    const everyMs = (deps.config.SLIPWAY_HEARTBEAT_TIMEOUT_SECONDS * 1000) / HEARTBEATS_PER_TIMEOUT;
    // The first one only when the run is not over by then: each is a call.
    const beat = setInterval(heartbeat, everyMs);
    try {
      const { signal } = controller;
      if (next.length === 0) return await executeRun(deps, { ...first, signal });
      const { attempt, workflowExecution: thread } = Context.current().info;
      const tell = (progress: TurnProgress) => deps.threads.noteProgress(thread!, progress);
      return await executeTurn(deps, { runs: [first, ...next], turn, signal, isRepeated: attempt > 1, tell });
    } finally {
      clearInterval(beat);
      done();
    }
  },

  /** Ends a run that no activity settled: stopped, displaced, out of time, or lost. */
  async settleRun({ run_id, reason }: SettleRunInput): Promise<void> {
    await settleFromOutside(deps, run_id, reason);
  },
});

/**
 * Aborts when Temporal asks for cancellation or the worker stops. An attempt that Temporal merely lost sight of
 * goes on: it is joined by the next one, or fenced by it.
 */
function followCancellation(): { controller: AbortController; done: () => void } {
  const controller = new AbortController();
  let over = false;
  const { cancellationDetails } = Context.current();
  void cancelled().catch(() => {
    const details = Context.current().cancellationDetails ?? cancellationDetails;
    const cause: StopCause = details?.workerShutdown && !details.cancelRequested ? 'shutdown' : 'stop';
    if (!over && (details?.cancelRequested || details?.workerShutdown)) controller.abort(cause);
  });
  return { controller, done: () => (over = true) };
}
