import type { Database, Queryable, Statement } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/database.ts';
import type { JsonObject } from '../../platform/schema.ts';
import type { Run, RunKwargs, RunStatus } from './run.ts';
import { RUN_FIELDS } from './run.ts';

// A delayed run counts as created when it is due (contract §5.1).
const WIRE: Record<(typeof RUN_FIELDS)[number], string> = {
  ...(Object.fromEntries(RUN_FIELDS.map((field) => [field, `run.${field}`])) as Record<
    (typeof RUN_FIELDS)[number],
    string
  >),
  created_at: 'run.due_at as created_at',
};
const COLUMNS = RUN_FIELDS.map((field) => WIRE[field]).join(', ');

/** Holds the thread until the transaction ends: what follows sees everything done to it before. */
export const lockThread = (threadId: string): Statement => ({
  name: 'lock-thread',
  text: 'select from thread where thread_id = $1 for update',
  values: [threadId],
});

export interface NewRun {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  metadata: JsonObject;
  kwargs: RunKwargs;
  multitask_strategy: string;
  after_seconds: number;
  langsmith_session_name: string | null;
}

/**
 * Records the run and marks its thread busy, in one transaction that holds the thread: check and insert are one
 * step for all of a thread's callers. Undefined when the thread is missing, or when the strategy is `reject` and
 * the thread has a run in flight.
 */
export async function insertRun(
  db: Database,
  run: NewRun,
  before: Statement[] = [],
): Promise<Run | undefined> {
  const results = await inPipeline<Run[][]>(db, [
    ...before,
    lockThread(run.thread_id),
    {
      name: 'insert-run',
      text: `insert into run (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, multitask_strategy,
          langsmith_session_name, due_at)
        select $1, thread_id, $3, $4, $5, $6, $7, $8, clock_timestamp() + make_interval(secs => $9)
        from thread where thread_id = $2 and ($7 <> 'reject' or not exists (
          select from run where thread_id = $2 and status in ('pending', 'running')))
        returning ${COLUMNS}`,
      values: [
        run.run_id,
        run.thread_id,
        run.assistant_id,
        run.graph_id,
        JSON.stringify(run.metadata),
        JSON.stringify(run.kwargs),
        run.multitask_strategy,
        run.langsmith_session_name,
        run.after_seconds,
      ],
    },
    {
      name: 'thread-busy',
      text: `update thread set status = 'busy', updated_at = clock_timestamp(),
          metadata = metadata || jsonb_build_object('graph_id', $2::text, 'assistant_id', $3::text)
        where thread_id = $1 and exists (select from run where run_id = $4)`,
      values: [run.thread_id, run.graph_id, run.assistant_id, run.run_id],
    },
  ]);
  return results[before.length + 1]?.[0];
}

export async function findRun(db: Queryable, threadId: string, runId: string): Promise<Run | undefined> {
  const { rows } = await db.query<Run>(`select ${COLUMNS} from run where run_id = $1 and thread_id = $2`, [
    runId,
    threadId,
  ]);
  return rows[0];
}

export async function findRunById(db: Queryable, runId: string): Promise<Run | undefined> {
  const { rows } = await db.query<Run>(`select ${COLUMNS} from run where run_id = $1`, [runId]);
  return rows[0];
}

export interface RunFilter {
  limit: number;
  offset: number;
  status?: RunStatus | undefined;
  select?: (typeof RUN_FIELDS)[number][] | undefined;
}

/** Newest first. */
export async function listRuns(db: Queryable, threadId: string, filter: RunFilter): Promise<Partial<Run>[]> {
  const columns = filter.select?.map((field) => WIRE[field]).join(', ') ?? COLUMNS;
  const { rows } = await db.query<Partial<Run>>(
    `select ${columns} from run where thread_id = $1 and ($2::text is null or status = $2)
     order by created_at desc, run_id desc limit $3 offset $4`,
    [threadId, filter.status ?? null, filter.limit, filter.offset],
  );
  return rows;
}

export interface RunRef {
  run_id: string;
  thread_id: string;
  status: RunStatus;
}

/** Unfinished runs: of the ids given on a thread, or of all threads in a state. */
export async function listInFlight(
  db: Queryable,
  filter: { thread_id?: string; run_ids?: string[]; statuses?: string[]; assistant_id?: string },
): Promise<RunRef[]> {
  const { rows } = await db.query<RunRef>(
    `select run_id, thread_id, status from run
     where status = any($1) and ($2::uuid is null or thread_id = $2) and ($3::uuid[] is null or run_id = any($3))
       and ($4::uuid is null or assistant_id = $4)
     order by created_at`,
    [
      filter.statuses ?? ['pending', 'running'],
      filter.thread_id ?? null,
      filter.run_ids ?? null,
      filter.assistant_id ?? null,
    ],
  );
  return rows;
}

/** Of the runs given, those that are still unfinished. */
export async function stillInFlight(db: Queryable, runIds: string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ run_id: string }>(
    `select run_id from run where run_id = any($1) and status in ('pending', 'running')`,
    [runIds],
  );
  return new Set(rows.map(({ run_id }) => run_id));
}

/** Takes back a run that never reached its queue; the thread is as before, or goes too when it was made for the run. */
export async function deleteUnqueuedRun(
  db: Database,
  threadId: string,
  runId: string,
  ownThread: boolean,
): Promise<void> {
  await inPipeline(db, [
    lockThread(threadId),
    { text: `delete from run where run_id = $1 and status = 'pending'`, values: [runId] },
    ownThread
      ? { text: 'delete from thread where thread_id = $1', values: [threadId] }
      : { text: THREAD_NO_LONGER_BUSY, values: [threadId] },
  ]);
}

// Nothing of the run ever happened, so the status is that of the graph's state before it.
const THREAD_NO_LONGER_BUSY = `update thread set updated_at = clock_timestamp(), status = case
    when error->>'error' <> 'UserInterrupt' then 'error' when interrupts <> '{}' then 'interrupted' else 'idle' end
  where thread_id = $1 and not exists (
    select from run where thread_id = $1 and status in ('pending', 'running'))`;

export interface UnsettledRun {
  run_id: string;
  thread_id: string;
  graph_id: string;
  status: 'pending' | 'running';
  kwargs: RunKwargs;
  now_ms: number;
  last_event_ms: number;
}

/** A run without an outcome. */
export async function findUnsettled(db: Queryable, runId: string): Promise<UnsettledRun | undefined> {
  const { rows } = await db.query<UnsettledRun>(
    `select run.run_id, run.thread_id, run.graph_id, run.status, run.kwargs, thread.last_event_ms,
       extract(epoch from clock_timestamp())::float8 * 1000 as now_ms
     from run join thread using (thread_id)
     where run_id = $1 and run.status in ('pending', 'running')`,
    [runId],
  );
  return rows[0];
}

/**
 * Ends a run that is about to be removed, without a word to its readers: from now on it writes nothing. Finds it
 * again when an earlier removal was cut short.
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
       and (run.status = any($2) or run.error->>'error' = 'RolledBack')
     returning run.run_id, run.thread_id, run.graph_id, run.status, run.kwargs, thread.last_event_ms,
       extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`,
    [runId, from],
  );
  return rows[0];
}

export interface StaleRun {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  /** When the run was accepted, and before when it must not start; ms since 1970. */
  accepted_ms: number;
  due_ms: number;
}

/** Unfinished runs that nothing has happened to for a while, oldest first, of a bounded number of threads. */
export async function listStale(db: Queryable, seconds: number, threads: number): Promise<StaleRun[]> {
  const { rows } = await db.query<StaleRun>(
    `select run_id, thread_id, assistant_id, graph_id, extract(epoch from created_at)::float8 * 1000 as accepted_ms,
       extract(epoch from due_at)::float8 * 1000 as due_ms
     from run where status in ('pending', 'running') and thread_id in (
       select thread_id from run where status in ('pending', 'running')
         and updated_at < now() - make_interval(secs => $1)
       group by thread_id order by min(updated_at) limit $2)
     order by created_at, run_id`,
    [seconds, threads],
  );
  return rows;
}

export async function findRunStatus(db: Queryable, runId: string): Promise<RunStatus | undefined> {
  const { rows } = await db.query<{ status: RunStatus }>('select status from run where run_id = $1', [runId]);
  return rows[0]?.status;
}

export interface QueueCounts {
  n_pending: number;
  n_running: number;
  /** Age in seconds of the oldest run that could start. */
  pending_runs_wait_time_max_secs: number | null;
}

export async function queueCounts(db: Queryable): Promise<QueueCounts> {
  const { rows } = await db.query<QueueCounts>(
    `select count(*) filter (where status = 'pending') as n_pending,
       count(*) filter (where status = 'running') as n_running,
       extract(epoch from max(now() - due_at) filter (where status = 'pending' and due_at <= now()))::float8
         as pending_runs_wait_time_max_secs
     from run where status in ('pending', 'running')`,
  );
  return rows[0]!;
}
