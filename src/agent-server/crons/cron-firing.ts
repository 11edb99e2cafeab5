import type { FireCronResult, FireDueInput } from '../../../workflows/runs/contracts.ts';
import { PublicError } from '../../platform/errors.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { newRunRequest } from '../runs/run-plan.ts';
import { lockThread } from '../records/run-repository.ts';
import { acceptRun, queuedRun } from '../runs/run-service.ts';
import { nextDate } from './cron-dates.ts';
import { runOf } from './cron-payload.ts';
import { adoptPause } from './cron-pauses.ts';
import { type CronRow, findCron } from '../records/cron-repository.ts';
import { isTime } from '../schedules/cron-times.ts';
import {
  dropSlot,
  type Firing,
  firingStatements,
  isDealtWith,
  listWaitingRuns,
} from './firing-repository.ts';

/**
 * Starts the run of a due cron: one run for all missed times, no matter how often it is called or by whom. A wake
 * outside the cron's times is a manual trigger and starts a run in addition. Throws Unavailable if the run was
 * recorded but not queued; the next call queues it.
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
    // An operator may have resumed the schedule, and we haven't synced it yet.
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

/** Undefined if the cron isn't due; `by` is a time known to have passed, even if our clocks lag. */
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
      // Same lock order as thread removal.
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

/** Queues the run of an earlier attempt that recorded it and then died. */
async function queueAgain(deps: AgentDeps, cronId: string): Promise<void> {
  for (const run of await listWaitingRuns(deps.db, cronId)) {
    await deps.threads.enqueue(run.thread_id, queuedRun(deps, run));
  }
}
