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

export async function findRunStatus(db: Queryable, runId: string): Promise<RunStatus | undefined> {
  const { rows } = await db.query<{ status: RunStatus }>('select status from run where run_id = $1', [runId]);
  return rows[0]?.status;
}
