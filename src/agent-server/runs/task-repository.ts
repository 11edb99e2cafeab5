import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import { changedPayload, threadChannel } from '../events/event-frame.ts';
import type { PublicFailure } from '../../platform/redaction/public-failure.ts';

export const TASK_STATES = [
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Metadata key of a run that continues a task: the id of the run that began it. */
export const TASK_KEY = 'a2a_task_id';

/** A run, together with the runs that answered its interrupts, as one task (contract §11.2). */
export interface TaskRow {
  /** Id of its first run. */
  task_id: string;
  thread_id: string;
  /** Its latest run. */
  run_id: string;
  state: TaskState;
  error: PublicFailure | null;
  updated_at: string;
  /** Input of its first run. */
  input: unknown;
  /** True if the thread has no later run. */
  latest: boolean;
}

const STATE = `case run.status when 'pending' then 'submitted' when 'running' then 'working'
  when 'success' then 'completed'
  when 'interrupted' then case when run.cancelled then 'canceled' else 'input-required' end else 'failed' end`;

/** Tasks of the runs that match `where`. */
const tasks = (where: Where): string => `
  select task.*, first.kwargs -> 'input' as input, not exists (
      select from run later where later.thread_id = task.thread_id and later.run_id <> task.run_id
        and later.created_at > task.created_at) as latest
  from (
    select distinct on (run.thread_id, task_id) coalesce(run.metadata ->> '${TASK_KEY}', run.run_id::text) as task_id,
      run.thread_id, run.run_id, run.error, run.updated_at, run.created_at, ${STATE} as state
    from run join thread on thread.thread_id = run.thread_id ${where.text}
    order by run.thread_id, task_id, run.created_at desc, run.run_id desc) task
  left join run first on first.run_id::text = task.task_id and first.thread_id = task.thread_id`;

export interface TaskScope {
  assistant_id: string;
  /** Which threads the caller may reach. */
  filter: RowFilter | undefined;
}

const reachable = ({ assistant_id, filter }: TaskScope): Where =>
  new Where().and`run.assistant_id = ${assistant_id}`
    .and`not (thread.hidden and thread.expires_at is not null)`.andPasses('thread.metadata', filter);

/** The thread's task that contains the run; its latest task if `runId` is undefined. */
export async function findTask(
  db: Queryable,
  scope: TaskScope,
  threadId: string,
  runId: string | undefined,
): Promise<TaskRow | undefined> {
  const where = reachable(scope).and`run.thread_id = ${threadId}`;
  const wanted = runId === undefined ? undefined : where.bind(runId);
  const named =
    wanted &&
    `where task_id = coalesce((select metadata ->> '${TASK_KEY}' from run where run_id = ${wanted}::uuid), ${wanted}::text)`;
  const { rows } = await db.query<TaskRow>(
    `select * from (${tasks(where)}) task ${named ?? ''} order by created_at desc limit 1`,
    where.values,
  );
  return rows[0];
}

export interface TaskSearch {
  thread_id?: string | undefined;
  state?: string | undefined;
  /** Only tasks changed at this time or later; ms since 1970. */
  since?: number | undefined;
  limit: number;
  offset: number;
}

/** Most recently changed first, with the total count. */
export async function searchTasks(
  db: Queryable,
  scope: TaskScope,
  { thread_id, state, since, limit, offset }: TaskSearch,
): Promise<{ tasks: TaskRow[]; total: number }> {
  const where = reachable(scope).and`not thread.hidden`.andEquals('run.thread_id', thread_id);
  const [wanted, after] = [where.bind(state ?? null), where.bind(since ?? null)];
  const found = `select * from (${tasks(where)}) task
    where (${wanted}::text is null or state = ${wanted}) and (${after}::float8 is null or updated_at >= to_timestamp(${after}::float8 / 1000))`;
  const { rows } = await db.query<{ total: number; tasks: TaskRow[] }>(
    `with found as (${found}),
       page as (select * from found order by updated_at desc, run_id desc
         limit ${where.bind(limit)} offset ${where.bind(offset)})
     select (select count(*) from found) as total,
       (select coalesce(json_agg(page order by updated_at desc, run_id desc), '[]') from page) as tasks`,
    where.values,
  );
  return rows[0]!;
}

/** Marks a run that waits for an answer as cancelled; false if it is not waiting. */
export async function abandonRun(
  db: Queryable,
  { thread_id, run_id }: Pick<TaskRow, 'thread_id' | 'run_id'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with abandoned as (
       update run set cancelled = true, updated_at = clock_timestamp()
       where run_id = $1 and status = 'interrupted' and not cancelled returning run_id)
     select pg_notify($2, $3) from abandoned`,
    [run_id, threadChannel(thread_id), changedPayload(run_id)],
  );
  return rowCount === 1;
}
