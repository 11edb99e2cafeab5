import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { Where } from '../../platform/db/where.ts';
import type { KnownRun } from './thread-translator.ts';

/** Reads what a stream needs from a run; undefined if the run is gone or the filter excludes its thread. */
export async function findStreamedRun(
  db: Queryable,
  threadId: string,
  runId: string | undefined,
  filter: RowFilter | undefined,
): Promise<KnownRun | undefined> {
  const where = new Where().and`run.thread_id = ${threadId}`
    .andEquals('run.run_id', runId)
    .andPasses('thread.metadata', filter);
  const { rows } = await db.query<KnownRun>(
    `select run.run_id, run.graph_id, run.status, run.kwargs -> 'stream_mode' ? 'checkpoints' as checkpoints
     from run join thread using (thread_id) ${where.text} order by run.created_at desc, run.run_id desc limit 1`,
    where.values,
  );
  return rows[0];
}

export interface CommandedThread {
  /** False if the caller has no access. */
  passes: boolean;
  status: string;
  /** Open interrupts by task. */
  interrupts: Record<string, { id?: string }[]>;
  last_event_ms: number;
  /** Assistant of the latest run. */
  assistant_id: string | null;
}

/** Undefined when there is no such thread. */
export async function findCommandedThread(
  db: Queryable,
  threadId: string,
  filter: RowFilter | undefined,
): Promise<CommandedThread | undefined> {
  const where = new Where().andPasses('metadata', filter);
  const id = where.bind(threadId);
  const { rows } = await db.query<CommandedThread>(
    `select status, interrupts, last_event_ms,
       exists (select from thread passing ${where.text ? `${where.text} and` : 'where'} passing.thread_id = ${id}) as passes,
       (select assistant_id from run where run.thread_id = ${id} order by created_at desc limit 1) as assistant_id
     from thread where thread_id = ${id} and not (hidden and expires_at is not null)`,
    where.values,
  );
  return rows[0];
}

/**
 * The oldest event a thread's stream can start with, and whether a run that began after `ms` has already been
 * deleted.
 */
export async function findReplayStart(
  db: Queryable,
  threadId: string,
  ms: number,
): Promise<{ oldest_ms: number | null; forgotten: boolean }> {
  const { rows } = await db.query<{ oldest_ms: number | null; forgotten: boolean }>(
    `select (select min(ms) from run_event where thread_id = $1) as oldest_ms,
       exists (select from run where thread_id = $1 and (kwargs ->> 'resumable')::boolean
         and started_at > to_timestamp($2::float8 / 1000)
         and not exists (select from run_event where run_event.run_id = run.run_id)) as forgotten`,
    [threadId, ms],
  );
  return rows[0]!;
}
