import { sealedJson } from '../../platform/db/sealing.ts';
import type { Database, Queryable, Statement } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { INSERT_THREAD } from './thread-repository.ts';
import { READ_STATUS } from './in-flight-repository.ts';
import type { Run, RunKwargs, RunStatus } from './run.ts';
import { RUN_FIELDS } from './run.ts';

// `created_at` of a delayed run is when it is due (contract §5.1).
const WIRE: Record<(typeof RUN_FIELDS)[number], string> = {
  ...(Object.fromEntries(RUN_FIELDS.map((field) => [field, `run.${field}`])) as Record<
    (typeof RUN_FIELDS)[number],
    string
  >),
  created_at: 'run.due_at as created_at',
  status: READ_STATUS,
};
/** Select list of the given fields, by default all. */
export const runColumns = (fields: readonly (typeof RUN_FIELDS)[number][] = RUN_FIELDS): string =>
  [...new Set(fields)].map((field) => WIRE[field]).join(', ') || 'null as none';
const COLUMNS = runColumns();

/** Locks the thread until the transaction ends, so that later statements see all earlier changes to it. */
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
  /** Which threads the caller may run on; checked again here, as another caller may have created the thread since. */
  reach?: RowFilter | undefined;
}

const INSERT = `insert into run (run_id, thread_id, assistant_id, graph_id, metadata, kwargs, multitask_strategy,
    langsmith_session_name, due_at)
  select $1, thread_id, $3, $4, $5, $6, $7, $8, clock_timestamp() + make_interval(secs => $9)
  from thread where thread_id = $2 and ($7 <> 'reject' or not exists (
    select from run where thread_id = $2 and status in ('pending', 'running')))`;

function insertStatement(run: NewRun): Statement {
  const values = [
    run.run_id,
    run.thread_id,
    run.assistant_id,
    run.graph_id,
    sealedJson('run', 'metadata', run.metadata),
    sealedJson('run', 'kwargs', run.kwargs),
    run.multitask_strategy,
    run.langsmith_session_name,
    run.after_seconds,
  ];
  const returning = `returning ${COLUMNS}`;
  if (!run.reach) return { name: 'insert-run', text: `${INSERT} ${returning}`, values };
  const where = new Where();
  for (const value of values) where.bind(value);
  // A thread created in this transaction is the caller's, whatever its metadata.
  const passes = where.passes('thread.metadata', run.reach);
  const text = `${INSERT} and (thread.xmin = pg_current_xact_id()::xid or (${passes})) ${returning}`;
  return { text, values: where.values };
}

/**
 * Records the run and marks its thread busy, in one transaction that locks the thread, so that check and insert are
 * atomic. `first` is true for a thread's first run. Undefined if the thread does not exist, or if the strategy is
 * `reject` and the thread has a run in flight.
 */
export async function insertRun(
  db: Database,
  run: NewRun,
  before: Statement[] = [],
): Promise<{ run: Run; first: boolean } | undefined> {
  const results = await inPipeline<(Run & { first: boolean })[][]>(db, [...before, ...runInsert(run)]);
  const [inserted, marked] = [results[before.length + 1]?.[0], results[before.length + 2]?.[0]];
  const isNew = before.some(({ name }, index) => name === INSERT_THREAD && results[index]!.length > 0);
  return inserted && { run: inserted, first: marked?.first ?? isNew };
}

/** Records runs, each after its `before` statements, all or none. Undefined for each that was not accepted. */
export async function insertRuns(
  db: Database,
  plans: { run: NewRun; before: Statement[] }[],
): Promise<(Run | undefined)[]> {
  const statements: Statement[] = [];
  // The insert is the second of each run's statements.
  const places = plans.map(({ run, before }) => {
    // Sent more than once before the first is parsed: without a name.
    const unnamed = [...before, ...runInsert(run)].map(({ text, values = [] }) => ({ text, values }));
    return statements.push(...unnamed) - 2;
  });
  const results = await inPipeline<Run[][]>(db, statements);
  return places.map((place) => results[place]?.[0]);
}

// A thread made for the run is busy from its insert on: writing it again would write its indexes again.
const runInsert = (run: NewRun): [Statement, Statement, Statement] => [
  lockThread(run.thread_id),
  insertStatement(run),
  {
    name: 'thread-busy',
    text: `update thread set status = 'busy', updated_at = clock_timestamp(),
        metadata = metadata || jsonb_build_object('graph_id', $2::text, 'assistant_id', $3::text)
      where thread_id = $1 and exists (select from run where run_id = $4)
        and (xmin <> pg_current_xact_id()::xid or metadata ->> 'assistant_id' is distinct from $3)
      returning last_event_ms = 0 as first`,
    values: [run.thread_id, run.graph_id, run.assistant_id, run.run_id],
  },
];

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
  const { rows } = await db.query<Partial<Run>>(
    `select ${runColumns(filter.select)} from run where thread_id = $1 and ($2::text is null or status = $2)
     order by created_at desc, run_id desc limit $3 offset $4`,
    [threadId, filter.status ?? null, filter.limit, filter.offset],
  );
  return rows;
}

/**
 * Removes a run that could not be queued and restores its thread, or removes that too if it was created for the run.
 */
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

// The run never started, so the thread's status follows from its state before.
const THREAD_NO_LONGER_BUSY = `update thread set updated_at = clock_timestamp(), status = case
    when error->>'error' <> 'UserInterrupt' then 'error' when interrupts <> '{}' then 'interrupted' else 'idle' end
  where thread_id = $1 and not exists (
    select from run where thread_id = $1 and status in ('pending', 'running'))`;
