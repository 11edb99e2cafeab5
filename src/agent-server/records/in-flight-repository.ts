import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { RunKwargs, RunStatus } from './run.ts';

export interface RunRef {
  run_id: string;
  thread_id: string;
  status: RunStatus;
}

/** Unfinished runs that match the filter, on threads that `reach` admits. */
export async function listInFlight(
  db: Queryable,
  filter: { thread_id?: string; run_ids?: string[]; statuses?: string[]; assistant_id?: string },
  reach?: RowFilter,
): Promise<RunRef[]> {
  const where = new Where()
    .andAny('run.status', filter.statuses ?? ['pending', 'running'])
    .andEquals('run.thread_id', filter.thread_id)
    .andAny('run_id', filter.run_ids)
    .andEquals('run.assistant_id', filter.assistant_id)
    .andPasses('thread.metadata', reach);
  const { rows } = await db.query<RunRef>(
    `select run_id, thread_id, run.status from run join thread using (thread_id) ${where.text}
     order by run.created_at`,
    where.values,
  );
  return rows;
}

/** Returns those of the given runs that are unfinished. */
export async function stillInFlight(db: Queryable, runIds: string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ run_id: string }>(
    `select run_id from run where run_id = any($1) and status in ('pending', 'running')`,
    [runIds],
  );
  return new Set(rows.map(({ run_id }) => run_id));
}

export interface UnsettledRun {
  run_id: string;
  thread_id: string;
  graph_id: string;
  status: 'pending' | 'running';
  kwargs: RunKwargs;
  now_ms: number;
  last_event_ms: number;
}
const UNSETTLED = `run.run_id, run.thread_id, run.graph_id, run.status, run.kwargs, thread.last_event_ms,
  extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`;

/** A run without an outcome. */
export async function findUnsettled(db: Queryable, runId: string): Promise<UnsettledRun | undefined> {
  const { rows } = await db.query<UnsettledRun>(
    `select ${UNSETTLED}
     from run join thread using (thread_id)
     where run_id = $1 and run.status in ('pending', 'running')`,
    [runId],
  );
  return rows[0];
}

// A run that is being removed. A graph may throw a class of the same name: only such a run is `interrupted` with an
// error.
const IS_ROLLED_BACK = `(run.status = 'interrupted' and run.error ->> 'error' = 'RolledBack')`;

/** A run's status as readers see it: a run that is being removed is `running` until it is gone. */
export const READ_STATUS = `case when ${IS_ROLLED_BACK} then 'running' else run.status end as status`;

/**
 * Ends a run that is about to be removed, without notifying its readers; from then on its writes are refused. Also
 * matches a run whose earlier removal was cut short.
 */
export async function markRolledBack(
  db: Queryable,
  runId: string,
  from: RunStatus[],
): Promise<UnsettledRun | undefined> {
  const { rows } = await db.query<UnsettledRun>(
    `update run set status = 'interrupted', error = '{"error": "RolledBack", "message": "The run was rolled back"}',
       ended_at = clock_timestamp(), updated_at = clock_timestamp()
     from thread where run.thread_id = thread.thread_id and run_id = $1
       and (run.status = any($2) or ${IS_ROLLED_BACK})
     returning ${UNSETTLED}`,
    [runId, from],
  );
  return rows[0];
}

export async function findReadStatus(db: Queryable, runId: string): Promise<RunStatus | undefined> {
  const { rows } = await db.query<{ status: RunStatus }>(`select ${READ_STATUS} from run where run_id = $1`, [
    runId,
  ]);
  return rows[0]?.status;
}

/** Runs marked as rolled back more than `seconds` ago that still exist: their removal was cut short. */
export async function listRolledBack(db: Queryable, seconds: number, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ run_id: string }>(
    `select run_id from run where ${IS_ROLLED_BACK}
       and updated_at < now() - make_interval(secs => $1) order by updated_at limit $2`,
    [seconds, limit],
  );
  return rows.map(({ run_id }) => run_id);
}

export interface StaleRun {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  /** When the run was accepted, and its earliest start; in ms since 1970. */
  accepted_ms: number;
  due_ms: number;
  webhook: boolean;
}

/** Unfinished runs of the threads with the longest inactivity, at least `seconds`; oldest run first. */
export async function listStale(db: Queryable, seconds: number, threads: number): Promise<StaleRun[]> {
  const { rows } = await db.query<StaleRun>(
    `select run_id, thread_id, assistant_id, graph_id, extract(epoch from created_at)::float8 * 1000 as accepted_ms,
       extract(epoch from due_at)::float8 * 1000 as due_ms, kwargs->>'webhook' is not null as webhook
     from run where status in ('pending', 'running') and thread_id in (
       select thread_id from run where status in ('pending', 'running')
         and updated_at < now() - make_interval(secs => $1)
       group by thread_id order by min(updated_at) limit $2)
     order by created_at, run_id`,
    [seconds, threads],
  );
  return rows;
}

export interface QueueCounts {
  n_pending: number;
  n_running: number;
  /** Longest and median wait of runs that are due. */
  pending_runs_wait_time_max_secs: number | null;
  pending_runs_wait_time_med_secs: number | null;
}

export async function queueCounts(db: Queryable): Promise<QueueCounts> {
  const { rows } = await db.query<QueueCounts>(
    `select count(*) filter (where status = 'pending') as n_pending,
       count(*) filter (where status = 'running') as n_running,
       extract(epoch from max(now() - due_at) filter (where status = 'pending' and due_at <= now()))::float8
         as pending_runs_wait_time_max_secs,
       extract(epoch from percentile_cont(0.5) within group (order by now() - due_at)
         filter (where status = 'pending' and due_at <= now()))::float8 as pending_runs_wait_time_med_secs
     from run where status in ('pending', 'running')`,
  );
  return rows[0]!;
}
