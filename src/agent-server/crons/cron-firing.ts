import type { FireCronResult, FireDueInput } from '../../../workflows/runs/contracts.ts';
import { PublicError } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { newRunRequest } from '../runs/run-plan.ts';
import { lockThread } from '../runs/run-repository.ts';
import { acceptRun, queuedRun } from '../runs/run-service.ts';
import { nextDate } from './cron-dates.ts';
import { runOf } from './cron-payload.ts';
import { adoptPause } from './cron-pauses.ts';
import { type CronRow, findCron } from './cron-repository.ts';
import { isTime } from './cron-times.ts';
import {
  dropSlot,
  type Firing,
  firingStatements,
  isDealtWith,
  listWaitingRuns,
} from './firing-repository.ts';

/**
 * Starts the run of a cron whose time has come, once for all times that were missed, however often and by whomever
 * it is woken; a wake at no time of the cron is by hand and starts a run of its own. Throws Unavailable when the run
 * is recorded, and the next call queues it.
 */
export async function fireDue(deps: AgentDeps, woken: FireDueInput): Promise<FireCronResult> {
  const wokenFor = new Date(woken.woken_for);
  let cron = await findCron(deps.db, woken.cron_id);
  if (!cron) {
    await deps.crons.remove(woken.cron_id);
    return { skipped: 'the cron was deleted' };
  }
  const spec = woken.schedule === undefined ? cron : { timezone: null, ...woken, schedule: woken.schedule };
  const byHand = !isTime(spec, wokenFor);
  if (!cron.enabled && !byHand) {
    // An operator may have resumed the schedule, which nobody has noticed yet.
    await adoptPause(deps, cron, new Date(wokenFor.getTime() - 1));
    cron = await findCron(deps.db, woken.cron_id);
    if (!cron?.enabled) return { skipped: 'the cron is disabled' };
  }
  const fired = await fireIfDue(deps, cron, wokenFor);
  if (fired) return fired;
  if (byHand) return fire(deps, cron, { cron, run_id: uuid7(), slot: woken.woken_for });
  await queueAgain(deps, cron.cron_id);
  return { skipped: 'another wake dealt with it' };
}

/** Undefined when the cron's time has not come; `by` is a moment known to be over, whatever our clocks say. */
export async function fireIfDue(
  deps: AgentDeps,
  cron: CronRow,
  by: Date = new Date(0),
): Promise<FireCronResult | undefined> {
  const { next_run_date: slot } = cron;
  const now = new Date(Math.max(Date.parse(cron.now), by.getTime()));
  if (!cron.enabled || slot === null || Date.parse(slot) > now.getTime()) return undefined;
  return fire(deps, cron, { cron, run_id: uuid7(), slot, next: nextDate(cron, now) });
}

async function fire(deps: AgentDeps, cron: CronRow, firing: Firing): Promise<FireCronResult> {
  const { thread_id, body, origin } = runOf(cron);
  const claim = firingStatements(firing);
  try {
    const { run_id } = await acceptRun(deps, body, {
      ...newRunRequest(thread_id, origin),
      ...origin,
      run_id: firing.run_id,
      // In the order in which a thread's end takes them.
      claim: cron.thread_id ? [lockThread(cron.thread_id), ...claim] : claim,
    });
    return { run_id };
  } catch (error) {
    if (isDealtWith(error)) {
      await queueAgain(deps, cron.cron_id);
      return { skipped: 'another wake dealt with it' };
    }
    if (!(error instanceof PublicError) || error.status >= 500) throw error;
    await dropSlot(deps.db, firing);
    deps.log.warn({ err: error, cron_id: cron.cron_id }, 'a cron could not start its run');
    return { skipped: error.message };
  }
}

/** An attempt before may have recorded a run and died. */
async function queueAgain(deps: AgentDeps, cronId: string): Promise<void> {
  for (const run of await listWaitingRuns(deps.db, cronId)) {
    await deps.threads.enqueue(run.thread_id, queuedRun(deps, run));
  }
}
