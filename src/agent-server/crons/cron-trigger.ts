import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import { CronNotFound } from '../errors.ts';
import { newRunRequest } from '../runs/run-plan.ts';
import { acceptRun } from '../runs/run-service.ts';
import type { Run } from '../records/run.ts';
import type { CronTrigger } from '../records/cron.ts';
import { runOf } from './cron-payload.ts';
import { findCron } from '../records/cron-repository.ts';

/**
 * Starts a run of a cron immediately, for a caller who may update it: on behalf of the creator, and even if the cron
 * is paused. Triggering the Temporal Schedule does the same but can't return the run. Throws CronNotFound and the
 * errors of `acceptRun`; if it throws, no run exists.
 */
export async function triggerCron(
  deps: AgentDeps,
  caller: Caller,
  id: string,
  { on_run_completed }: CronTrigger,
): Promise<Run> {
  const filter = await deps.access.authorize(caller, 'crons', 'update', { cron_id: id });
  const cron = await findCron(deps.db, id, filter);
  if (!cron) throw new CronNotFound(id);
  const { thread_id, body, origin } = runOf({ ...cron, ...(on_run_completed && { on_run_completed }) });
  return acceptRun(deps, body, { ...newRunRequest(thread_id, origin), ...origin });
}
