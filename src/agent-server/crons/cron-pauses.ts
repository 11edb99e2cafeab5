import { setTimeout } from 'node:timers/promises';
import type { AgentDeps } from '../agent-deps.ts';
import { nextDate } from './cron-dates.ts';
import { type CronRow, findCron } from './cron-repository.ts';
import { adoptEnabled, listDisagreeing } from './schedule-repository.ts';

const FRESH_MS = 2_000;
// A reader does not wait longer for a Temporal that is slow or away.
const PATIENCE_MS = 1_000;
const MOST_AT_ONCE = 100;

/** Takes over what an operator did to the cron's schedule; times after `since` count when it was resumed. */
export async function adoptPause(
  deps: AgentDeps,
  cron: CronRow,
  since = new Date(cron.now),
): Promise<boolean> {
  const paused = await deps.crons.isPaused(cron.cron_id);
  if (paused === undefined || paused === !cron.enabled) return false;
  return adoptEnabled(deps.db, cron, paused ? cron.next_run_date : nextDate(cron, since));
}

/** The same for all crons whose schedules seem to be paused or resumed by an operator. Returns how many were. */
export async function adoptPauses(deps: AgentDeps): Promise<number> {
  const seen = await listDisagreeing(deps.db, await deps.crons.list({ paused: true }), MOST_AT_ONCE);
  let adopted = 0;
  for (const id of seen) {
    const cron = await findCron(deps.db, id);
    // The list is of a moment ago; the schedule itself is asked before anything is believed.
    if (cron && (await adoptPause(deps, cron))) adopted++;
  }
  return adopted;
}

/**
 * For those who read crons: what operators did up to two seconds ago is in the rows when it returns. Without
 * Temporal the rows are what there is.
 */
export function followPauses(deps: AgentDeps): () => Promise<void> {
  let asked = 0;
  let answer: Promise<void> | undefined;
  return () => {
    if (answer && Date.now() - asked < FRESH_MS) return answer;
    asked = Date.now();
    const adopted = adoptPauses(deps).then(
      () => {},
      (error: unknown) => deps.log.warn({ err: error }, 'the schedules of crons cannot be read'),
    );
    return (answer = Promise.race([adopted, setTimeout(PATIENCE_MS, undefined, { ref: false })]));
  };
}
