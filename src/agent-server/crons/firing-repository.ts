import {
  type Database,
  inPipeline,
  type Queryable,
  sqlState,
  type Statement,
} from '../../platform/db/database.ts';
import type { CronRow } from '../records/cron-repository.ts';

// Longer than any retry could ask for the same time again.
const KEPT = '7 days';

export interface Firing {
  cron: Pick<CronRow, 'cron_id' | 'revision' | 'next_run_date'>;
  run_id: string;
  /** The time being handled. */
  slot: string;
  /** The next time to wait for; undefined keeps the cron's current one. */
  next?: string | null;
}

/**
 * Records a time as handled and sets the next one. Fails the enclosing transaction if another one came first or the
 * cron is gone: see `isDealtWith`.
 */
export const firingStatements = ({ cron, run_id, slot, next }: Firing): Statement[] => [
  {
    text: 'insert into cron_firing (cron_id, slot, run_id) values ($1, $2, $3)',
    values: [cron.cron_id, slot, run_id],
  },
  {
    text: `delete from cron_firing where cron_id = $1 and fired_at < clock_timestamp() - $2::interval`,
    values: [cron.cron_id, KEPT],
  },
  ...(next === undefined
    ? []
    : [
        {
          // If the cron changed in the meantime, it already has a new next time.
          text: 'update cron set next_run_date = $2 where cron_id = $1 and revision = $3 and next_run_date = $4',
          values: [cron.cron_id, next, cron.revision, cron.next_run_date],
        },
      ]),
];

/** True if a transaction with `firingStatements` failed because another one came first or the cron is gone. */
export const isDealtWith = (error: unknown): boolean =>
  /^(23505|23503)$/.test(sqlState(error) ?? '') && (error as { table?: string }).table === 'cron_firing';

/** Records a time as handled without starting a run. */
export async function dropSlot(db: Database, firing: Firing): Promise<void> {
  await inPipeline(db, firingStatements(firing)).catch((error: unknown) => {
    if (!isDealtWith(error)) throw error;
  });
}

/** The cron's runs that are queued or waiting to be queued. */
export async function listWaitingRuns(
  db: Queryable,
  cronId: string,
): Promise<
  { run_id: string; thread_id: string; assistant_id: string; graph_id: string; multitask_strategy: string }[]
> {
  const { rows } = await db.query<{
    run_id: string;
    thread_id: string;
    assistant_id: string;
    graph_id: string;
    multitask_strategy: string;
  }>(
    `select run_id, thread_id, assistant_id, graph_id, multitask_strategy
     from cron_firing join run using (run_id) where cron_id = $1 and status = 'pending' order by slot`,
    [cronId],
  );
  return rows;
}

/** Enabled crons at least this many seconds overdue: their wake never came. */
export async function listOverdue(db: Queryable, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ cron_id: string }>(
    `select cron_id from cron where enabled and next_run_date < clock_timestamp() - make_interval(secs => $1)
       and scheduled_at < clock_timestamp() - make_interval(secs => $1)
     order by next_run_date limit $2`,
    [seconds, limit],
  );
  return rows.map(({ cron_id }) => cron_id);
}
