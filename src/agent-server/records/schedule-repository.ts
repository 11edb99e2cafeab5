import type { Queryable } from '../../platform/db/database.ts';
import type { CronRow } from './cron-repository.ts';

// Temporal's list of schedules may lag this far behind.
const SETTLED = `scheduled_revision = revision and scheduled_at < clock_timestamp() - interval '3 seconds'`;

/** Records that the cron's schedule matches the row and wakes workers of this task queue. */
export async function markScheduled(tx: Queryable, id: string, taskQueue: string): Promise<void> {
  await tx.query(
    `update cron set scheduled_revision = revision, scheduled_queue = $2, scheduled_at = clock_timestamp()
     where cron_id = $1`,
    [id, taskQueue],
  );
}

/** Enabled crons with a paused schedule, and disabled crons with a running one. */
export const listDisagreeing = (db: Queryable, paused: string[], limit: number): Promise<string[]> =>
  idsOf(db, `select cron_id from cron where enabled = (cron_id = any($1::uuid[])) and ${SETTLED} limit $2`, [
    paused,
    limit,
  ]);

/** Copies the schedule's state to the cron; false if the cron changed in the meantime. */
export async function adoptEnabled(
  db: Queryable,
  cron: CronRow,
  nextRunDate: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update cron set enabled = not enabled, next_run_date = $3, updated_at = clock_timestamp()
     where cron_id = $1 and revision = $2 and enabled = $4 and ${SETTLED}`,
    [cron.cron_id, cron.revision, nextRunDate, cron.enabled],
  );
  return rowCount === 1;
}

/** The ids that belong to no cron. */
export const listUnknown = (db: Queryable, ids: string[]): Promise<string[]> =>
  idsOf(
    db,
    `select id as cron_id from unnest($1::text[]) id where not exists (select from cron where cron_id::text = id)`,
    [ids],
  );

/** Crons whose schedule is missing, outdated, or on another task queue. */
export const listUnscheduled = (
  db: Queryable,
  scheduled: string[],
  taskQueue: string,
  limit: number,
): Promise<string[]> =>
  idsOf(
    db,
    `select cron_id from cron where scheduled_revision <> revision or scheduled_queue <> $2
       or (${SETTLED} and cron_id <> all($1::uuid[])) limit $3`,
    [scheduled, taskQueue, limit],
  );

async function idsOf(db: Queryable, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await db.query<{ cron_id: string }>(text, values);
  return rows.map(({ cron_id }) => cron_id);
}
