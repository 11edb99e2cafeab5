import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { retainStatement } from '../traces/retained-traces.ts';
import type { QueueRun } from './annotation-queue.ts';
import { ROW } from './queue-run-repository.ts';

const MAX_ADDED = 10_000;

export interface RunToReview {
  run_id: string;
  source_proposed_example_id?: string | undefined;
}

/**
 * Adds runs and extends the retention of their traces. Runs already queued keep their position. Returns every item,
 * in the given order.
 */
export async function addRuns(
  db: Queryable,
  tenantId: string,
  queueId: string,
  runs: RunToReview[],
  keepTraces = true,
): Promise<QueueRun[]> {
  const ids = runs.map(({ run_id }) => run_id);
  await db.query(
    `insert into tracing.annotation_queue_run (tenant_id, queue_id, id, run_id, source_proposed_example_id)
     select $1, $2, n.id, n.run_id, n.example from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as n (id, run_id, example)
     on conflict (tenant_id, queue_id, run_id) do nothing`,
    [tenantId, queueId, runs.map(uuid7), ids, runs.map((run) => run.source_proposed_example_id ?? null)],
  );
  const kept = retainStatement(tenantId, keepTraces ? ids : []);
  if (kept) await db.query(kept.text, kept.values);
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from tracing.annotation_queue_run r
     where r.tenant_id = $1 and r.queue_id = $2 and r.run_id = any($3) order by array_position($3, r.run_id)`,
    [tenantId, queueId, ids],
  );
  return rows;
}

export interface ThreadToReview {
  project_id: string;
  thread_id: string;
}

/** Adds threads. Threads already queued keep their position. Returns every item, in the given order. */
export async function addThreads(
  db: Queryable,
  tenantId: string,
  queueId: string,
  threads: ThreadToReview[],
): Promise<QueueRun[]> {
  const projects = threads.map(({ project_id }) => project_id);
  const names = threads.map(({ thread_id }) => thread_id);
  await db.query(
    `insert into tracing.annotation_queue_run (tenant_id, queue_id, id, project_id, thread_id)
     select $1, $2, n.* from unnest($3::uuid[], $4::uuid[], $5::text[]) as n (id, project_id, thread_id)
     on conflict (tenant_id, queue_id, project_id, md5(thread_id)) where thread_id is not null do nothing`,
    [tenantId, queueId, threads.map(uuid7), projects, names],
  );
  const { rows } = await db.query<QueueRun>(
    `select ${ROW} from unnest($3::uuid[], $4::text[]) with ordinality as n (project_id, thread_id, place)
     join tracing.annotation_queue_run r on r.tenant_id = $1 and r.queue_id = $2 and r.project_id = n.project_id
       and md5(r.thread_id) = md5(n.thread_id) and r.thread_id is not null order by n.place`,
    [tenantId, queueId, projects, names],
  );
  return rows;
}

/** Adds the traces of experiments. Returns the number of new items. */
export async function addExperiments(
  db: Queryable,
  tenantId: string,
  queueId: string,
  projectIds: string[],
): Promise<number> {
  const { rows } = await db.query<{ id: string }>(
    `select r.id from tracing.run r where r.tenant_id = $1 and r.project_id = any($2) and r.parent_run_id is null
       and r.is_posted and not exists (select 1 from tracing.annotation_queue_run q
         where q.tenant_id = $1 and q.queue_id = $3 and q.run_id = r.id)
     order by r.start_time, r.id limit ${MAX_ADDED}`,
    [tenantId, projectIds, queueId],
  );
  await addRuns(
    db,
    tenantId,
    queueId,
    rows.map(({ id }) => ({ run_id: id })),
  );
  return rows.length;
}
