import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { QueueRunNotFound } from '../errors.ts';
import type { Cursor } from '../query/run-query.ts';
import type { ItemType, QueueRun, ReviewStatus } from './annotation-queue.ts';

/** The columns of QueueRun. */
export const ROW = `r.id, r.queue_id, r.run_id, r.project_id, r.thread_id, r.source_proposed_example_id, r.added_at, r.added_at as effective_added_at,
  r.last_reviewed_time, r.completed_at, r.reserved_by, r.completed_by`;

/** Start time of the first run of each thread, by item id. Threads without runs are missing. */
export async function startsOfThreads(
  db: Queryable,
  tenantId: string,
  items: QueueRun[],
): Promise<Map<string, string>> {
  const threads = items.filter(({ thread_id }) => thread_id !== null);
  if (threads.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; start_time: string }>(
    `select n.id, min(u.start_time) as start_time
     from unnest($2::uuid[], $3::uuid[], $4::text[]) as n (id, project_id, thread_id)
     join tracing.run u on u.tenant_id = $1 and u.thread_id = n.thread_id and u.project_id = n.project_id
     group by n.id`,
    [
      tenantId,
      threads.map(({ id }) => id),
      threads.map(({ project_id }) => project_id),
      threads.map(({ thread_id }) => thread_id),
    ],
  );
  return new Map(rows.map(({ id, start_time }) => [id, start_time]));
}

function clauseOf(
  tenantId: string,
  queueId: string,
  { status, reviewer, item_type, min_start_time, max_start_time }: QueueRunSearch,
): Where {
  const where = new Where().andEquals('r.tenant_id', tenantId).andEquals('r.queue_id', queueId);
  for (const [operator, time] of [
    ['>=', min_start_time],
    ['<=', max_start_time],
  ])
    if (time !== undefined) {
      const began = `u.start_time ${operator} ${where.bind(time)}::timestamptz`;
      const run = 'exists (select 1 from tracing.run u where u.tenant_id = r.tenant_id and';
      where.raw(`case when r.run_id is not null then ${run} u.id = r.run_id and ${began})
        else ${run} u.thread_id = r.thread_id and u.project_id = r.project_id and ${began}) end`);
    }
  if (item_type) where.raw(`r.run_id is ${item_type === 'RUN' ? 'not null' : 'null'}`);
  if (!status) return where;
  const isDone = status === 'completed' || status === 'archived';
  where.andEquals('r.completed_at is not null', isDone);
  if (!isDone) where.and`(${reviewer} = any(r.completed_by)) = ${status === 'needs_others_review'}`;
  return where;
}

export interface QueueRunSearch {
  /** Undefined matches any status. */
  status: ReviewStatus | undefined;
  /** The caller, whose view decides an item's status. */
  reviewer: string;
  /** Undefined matches both runs and threads. */
  item_type?: ItemType | undefined;
  /** Compared with the start of the run, or with the thread's first run. */
  min_start_time?: string | undefined;
  max_start_time?: string | undefined;
}

/** Oldest first. */
export async function listQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { limit, offset, ...search }: QueueRunSearch & { limit: number; offset: number },
): Promise<QueueRun[]> {
  const where = clauseOf(tenantId, queueId, search);
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r ${where.text} order by r.added_at, r.id
     limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

/** Pages by cursor because reviews move items between sections meanwhile. */
export async function pageOfQueue(
  db: Queryable,
  tenantId: string,
  queueId: string,
  search: QueueRunSearch,
  { from, backward, limit }: { from: Cursor | undefined; backward: boolean; limit: number },
): Promise<QueueRun[]> {
  const where = clauseOf(tenantId, queueId, search);
  if (from)
    where.raw(
      `(r.added_at, r.id) ${backward ? '<' : '>'} (${where.bind(from.start_time)}::timestamptz, ${where.bind(from.id)}::uuid)`,
    );
  const direction = backward ? 'desc' : 'asc';
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r ${where.text}
     order by r.added_at ${direction}, r.id ${direction} limit ${where.bind(limit)}`,
    where.values,
  );
  return backward ? rows.toReversed() : rows;
}

/** Section and zero-based position of an item as the reviewer sees it. Throws QueueRunNotFound. */
export async function placementOf(
  db: Queryable,
  tenantId: string,
  queueId: string,
  id: string,
  reviewer: string,
): Promise<{ run: QueueRun; section: ReviewStatus; position: number }> {
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r where r.tenant_id = $1 and r.queue_id = $2 and r.id = $3`,
    [tenantId, queueId, id],
  );
  const [run] = rows;
  if (!run) throw new QueueRunNotFound();
  const section = sectionOf(run, reviewer);
  const where = clauseOf(tenantId, queueId, { status: section, reviewer });
  where.raw(`(r.added_at, r.id) < (${where.bind(run.added_at)}::timestamptz, ${where.bind(id)}::uuid)`);
  const { rows: before } = await db.query<{ count: number }>(
    `select count(*) from tracing.annotation_queue_run r ${where.text}`,
    where.values,
  );
  return { run, section, position: before[0]!.count };
}

const sectionOf = ({ completed_at, completed_by }: QueueRun, reviewer: string): ReviewStatus => {
  if (completed_at !== null) return 'archived';
  return completed_by.includes(reviewer) ? 'needs_others_review' : 'needs_my_review';
};

export async function countQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { from, to, ...search }: QueueRunSearch & { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const where = clauseOf(tenantId, queueId, search);
  if (from) where.and`r.completed_at > ${from}`;
  if (to) where.and`r.completed_at < ${to}`;
  const { rows } = await db.query<{ count: number }>(
    `select count(*) from tracing.annotation_queue_run r ${where.text}`,
    where.values,
  );
  return rows[0]!.count;
}

/** Throws QueueRunNotFound. */
export async function updateQueueRun(
  db: Queryable,
  tenantId: string,
  queueId: string,
  id: string,
  {
    added_at,
    last_reviewed_time,
  }: { added_at?: string | undefined; last_reviewed_time?: string | undefined },
): Promise<QueueRun> {
  const { rows } = await db.query<QueueRun>(
    `update tracing.annotation_queue_run r set added_at = coalesce($4, r.added_at),
       last_reviewed_time = coalesce($5, r.last_reviewed_time)
     where r.tenant_id = $1 and r.queue_id = $2 and (r.id = $3 or r.run_id = $3) returning ${ROW}`,
    [tenantId, queueId, id, added_at, last_reviewed_time],
  );
  if (!rows[0]) throw new QueueRunNotFound();
  return rows[0];
}

/** Records that a reviewer viewed or completed an item, or withdrew that. Throws QueueRunNotFound. */
export async function reviewQueueRun(
  db: Queryable,
  tenantId: string,
  id: string,
  reviewer: string,
  status: 'viewed' | 'completed' | null,
): Promise<QueueRun> {
  const { rows } = await db.query<QueueRun>(
    `with reviewed as (
       select r.id, case when $4 = 'completed' then array_append(array_remove(r.completed_by, $3), $3)
           else array_remove(r.completed_by, $3) end as completed_by,
         case when $4 = 'viewed' then array_append(array_remove(r.reserved_by, $3), $3)
           else array_remove(r.reserved_by, $3) end as reserved_by, coalesce(q.num_reviewers_per_item, 1) as reviewers
       from tracing.annotation_queue_run r
       join tracing.annotation_queue q on q.tenant_id = r.tenant_id and q.id = r.queue_id
       where r.tenant_id = $1 and r.id = $2 for update of r)
     update tracing.annotation_queue_run r set completed_by = s.completed_by, reserved_by = s.reserved_by,
       last_reviewed_time = case when $4 is null then r.last_reviewed_time else clock_timestamp() end,
       completed_at = case when cardinality(s.completed_by) >= s.reviewers
         then coalesce(r.completed_at, clock_timestamp()) end
     from reviewed s where r.tenant_id = $1 and r.id = s.id returning ${ROW}`,
    [tenantId, id, reviewer, status],
  );
  if (!rows[0]) throw new QueueRunNotFound();
  return rows[0];
}

/** Accepts run ids and item ids. Returns the number of deleted items. */
export async function deleteQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { ids, except = [] }: { ids?: string[] | undefined; except?: string[] | undefined },
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from tracing.annotation_queue_run r where r.tenant_id = $1 and r.queue_id = $2
       and ($3::uuid[] is null or r.id = any($3) or r.run_id = any($3))
       and not (r.id = any($4::uuid[]) or coalesce(r.run_id = any($4), false))`,
    [tenantId, queueId, ids, except],
  );
  return rowCount ?? 0;
}
