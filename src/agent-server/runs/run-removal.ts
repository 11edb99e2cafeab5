import type { AgentDeps } from '../agent-deps.ts';
import { eraseRun } from './outside-settlement.ts';
import { stopRuns } from './run-cancellation.ts';
import { findRun } from '../records/run-repository.ts';
import { TERMINAL } from '../records/run.ts';

/** Deletes a run with its checkpoints, and stops it first if it is in flight. Returns false if it does not exist. */
export async function removeRun(deps: AgentDeps, threadId: string, runId: string): Promise<boolean> {
  const run = await findRun(deps.db, threadId, runId);
  if (!run) return false;
  if (!TERMINAL.has(run.status)) await stopRuns(deps, [run], 'interrupt');
  const { graph_id } = run.kwargs.config.configurable as { graph_id: string };
  await eraseRun(deps, { run_id: runId, thread_id: threadId, graph_id });
  return true;
}
