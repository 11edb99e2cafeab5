import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { uuid7 } from '../../platform/ids.ts';
import { QueueRunNotFound } from '../errors.ts';
import type { QueueRun, ReviewStatus } from './annotation-queue.ts';

const ROW = `r.id, r.queue_id, r.run_id, r.source_proposed_example_id, r.added_at, r.added_at as effective_added_at,
  r.last_reviewed_time, r.reserved_by, r.completed_by`;

export interface RunToReview {
  run_id: string;
  source_proposed_example_id?: string | undefined;
}

/** One that is there already keeps its place. Returns all of them, in the order given. */
export async function addRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  runs: RunToReview[],
): Promise<QueueRun[]> {
  const ids = runs.map(({ run_id }) => run_id);
  await db.query(
    `insert into tracing.annotation_queue_run (tenant_id, queue_id, id, run_id, source_proposed_example_id)
     select $1, $2, n.id, n.run_id, n.example from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as n (id, run_id, example)
     on conflict (tenant_id, queue_id, run_id) do nothing`,
    [tenantId, queueId, runs.map(uuid7), ids, runs.map((run) => run.source_proposed_example_id ?? null)],
  );
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r
     where r.tenant_id = $1 and r.queue_id = $2 and r.run_id = any($3) order by array_position($3, r.run_id)`,
    [tenantId, queueId, ids],
  );
  return rows;
}

function clauseOf(
  tenantId: string,
  queueId: string,
  status: ReviewStatus | undefined,
  reviewer: string,
): Where {
  const where = new Where().andEquals('r.tenant_id', tenantId).andEquals('r.queue_id', queueId);
  if (!status) return where;
  const isDone = status === 'completed' || status === 'archived';
  where.andEquals('r.completed_at is not null', isDone);
  if (!isDone) where.and`(${reviewer} = any(r.completed_by)) = ${status === 'needs_others_review'}`;
  return where;
}

export interface QueueRunSearch {
  /** Undefined is any. */
  status: ReviewStatus | undefined;
  /** Who asks. */
  reviewer: string;
}

/** Longest waiting first. */
export async function listQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { status, reviewer, limit, offset }: QueueRunSearch & { limit: number; offset: number },
): Promise<QueueRun[]> {
  const where = clauseOf(tenantId, queueId, status, reviewer);
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r ${where.text} order by r.added_at, r.id
     limit ${where.bind(limit)} offset ${where.bind(offset)}`,
    where.values,
  );
  return rows;
}

export async function countQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { status, reviewer, from, to }: QueueRunSearch & { from?: string | undefined; to?: string | undefined },
): Promise<number> {
  const where = clauseOf(tenantId, queueId, status, reviewer);
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

/** Notes what one reviewer did: looked at it, was done with it, or neither any more. Throws QueueRunNotFound. */
export async function reviewQueueRun(
  db: Queryable,
  tenantId: string,
  id: string,
  reviewer: string,
  status: 'viewed' | 'completed' | null,
): Promise<QueueRun> {
  const { rows } = await db.query<QueueRun>(
    `with said as (
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
     from said s where r.tenant_id = $1 and r.id = s.id returning ${ROW}`,
    [tenantId, id, reviewer, status],
  );
  if (!rows[0]) throw new QueueRunNotFound();
  return rows[0];
}

/** By the id of the run, or of its place in the queue. Returns how many were there. */
export async function deleteQueueRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  { ids, except = [] }: { ids?: string[] | undefined; except?: string[] | undefined },
): Promise<number> {
  const { rowCount } = await db.query(
    `delete from tracing.annotation_queue_run r where r.tenant_id = $1 and r.queue_id = $2
       and ($3::uuid[] is null or r.id = any($3) or r.run_id = any($3))
       and not (r.id = any($4::uuid[]) or r.run_id = any($4))`,
    [tenantId, queueId, ids, except],
  );
  return rowCount ?? 0;
}
