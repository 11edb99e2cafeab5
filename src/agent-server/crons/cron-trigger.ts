import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../auth/caller.ts';
import { CronNotFound } from '../errors.ts';
import { newRunRequest } from '../runs/run-plan.ts';
import { acceptRun } from '../runs/run-service.ts';
import type { Run } from '../runs/run.ts';
import type { CronTrigger } from './cron.ts';
import { runOf } from './cron-payload.ts';
import { findCron } from './cron-repository.ts';

/**
 * Starts a run of a cron for whoever may change it, as its next time would: in its creator's name, and when it is
 * paused, too. A trigger of the Temporal Schedule does the same, but cannot say which run it was. Throws CronNotFound
 * and what `acceptRun` throws; then there is no run.
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
