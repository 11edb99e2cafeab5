import type { AgentDeps } from '../agent-deps.ts';
import { fireIfDue } from './cron-firing.ts';
import { adoptPauses } from './cron-pauses.ts';
import { findCron } from '../records/cron-repository.ts';
import { scheduleSoon, unschedule } from '../schedules/cron-scheduling.ts';
import { listOverdue } from './firing-repository.ts';
import { listUnknown, listUnscheduled } from '../records/schedule-repository.ts';

// Time a wake gets to arrive before the sweep fires the cron.
const OVERDUE_SECONDS = 5;
const MOST_AT_ONCE = 500;

/** How many schedules operators paused or resumed, how many were removed or written, and how many crons fired late. */
export interface Reconciled {
  adopted: number;
  removed: number;
  written: number;
  fired: number;
}

/** Syncs crons with their schedules, and fires overdue crons. Safe to run in several processes at once. */
export async function reconcileCrons(deps: AgentDeps): Promise<Reconciled> {
  const adopted = await adoptPauses(deps);
  // A row exists before its schedule, so a listed schedule without a row is an orphan.
  const scheduled = await deps.crons.list();
  const orphans = await listUnknown(deps.db, scheduled);
  await unschedule(deps, orphans);
  const unscheduled = await listUnscheduled(deps.db, scheduled, deps.crons.taskQueue, MOST_AT_ONCE);
  for (const id of unscheduled) await scheduleSoon(deps, id);
  let fired = 0;
  for (const id of await listOverdue(deps.db, OVERDUE_SECONDS, MOST_AT_ONCE)) {
    const cron = await findCron(deps.db, id);
    if (!cron || (await deps.crons.isPaused(id)) !== false) continue;
    if (await fireIfDue(deps, cron)) fired++;
  }
  return { adopted, removed: orphans.length, written: unscheduled.length, fired };
}
