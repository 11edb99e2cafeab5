import { setTimeout } from 'node:timers/promises';
import type { AgentDeps } from '../agent-deps.ts';
import { nextDate } from './cron-dates.ts';
import { type CronRow, findCron } from '../records/cron-repository.ts';
import { adoptEnabled, listDisagreeing } from '../records/schedule-repository.ts';

const FRESH_MS = 2_000;
// Longest a read waits for a slow or unreachable Temporal.
const PATIENCE_MS = 1_000;
const MOST_AT_ONCE = 100;

/** Syncs an operator's pause or resume from the schedule to the cron; after a resume, times after `since` count. */
export async function adoptPause(
  deps: AgentDeps,
  cron: CronRow,
  since = new Date(cron.now),
): Promise<boolean> {
  const paused = await deps.crons.isPaused(cron.cron_id);
  if (paused === undefined || paused === !cron.enabled) return false;
  return adoptEnabled(deps.db, cron, paused ? cron.next_run_date : nextDate(cron, since));
}

/** Syncs all crons whose schedules look paused or resumed by an operator. Returns how many changed. */
export async function adoptPauses(deps: AgentDeps): Promise<number> {
  const seen = await listDisagreeing(deps.db, await deps.crons.list({ paused: true }), MOST_AT_ONCE);
  let adopted = 0;
  for (const id of seen) {
    const cron = await findCron(deps.db, id);
    // The list may be stale, so check the schedule itself.
    if (cron && (await adoptPause(deps, cron))) adopted++;
  }
  return adopted;
}

/**
 * For reads of crons: once it resolves, the rows include operators' changes made at least two seconds ago. If
 * Temporal is unreachable, the rows stay unchanged.
 */
export function followPauses(deps: AgentDeps): () => Promise<void> {
  let asked = 0;
  let answer: Promise<void> | undefined;
  return () => {
    if (answer && Date.now() - asked < FRESH_MS) return answer;
    asked = Date.now();
    const adopted = adoptPauses(deps).then(
      () => {},
      (error: unknown) => deps.log.warn({ err: error }, 'could not read the Schedules of crons'),
    );
    return (answer = Promise.race([adopted, setTimeout(PATIENCE_MS, undefined, { ref: false })]));
  };
}
