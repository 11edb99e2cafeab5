import type { Queryable } from '../../platform/db/database.ts';
import type { ProjectRetention } from './project-retention.ts';

const RUNS = 5_000;
const BLOCKS = 200;

const valuesOf = ({ tenant_id, project_id, before }: ProjectRetention): unknown[] => [
  tenant_id,
  project_id,
  before,
];

/** Deletes a batch of a project's expired runs and their related rows. Returns the number of runs. */
export async function deleteExpiredRuns(db: Queryable, kept: ProjectRetention): Promise<number> {
  const { rows } = await db.query<{ deleted: number }>(
    `with old as (
       select tenant_id, id, start_time from tracing.run
       where tenant_id = $1 and project_id = $2 and start_time < $3 and (start_time < $4 or not exists (
         select from tracing.kept_run k where k.tenant_id = $1 and k.trace_id = run.trace_id))
       order by start_time limit ${RUNS}),
     expired as (
       delete from tracing.run r using old
       where r.tenant_id = old.tenant_id and r.id = old.id and r.start_time = old.start_time and r.start_time < $3
       returning r.id),
     detached as (delete from tracing.attachment a using expired where a.tenant_id = $1 and a.run_id = expired.id),
     named as (delete from tracing.kept_run k using expired where k.tenant_id = $1 and k.run_id = expired.id)
     select count(*) as deleted from expired`,
    [...valuesOf(kept), kept.kept_before],
  );
  return rows[0]!.deleted;
}

/** Deletes a batch of body blocks from expired weeks of the project. Returns the number. */
export async function deleteExpiredBlocks(db: Queryable, kept: ProjectRetention): Promise<number> {
  const { rowCount } = await db.query(
    `delete from tracing.body_block b using (
       select week, id from tracing.body_block
       where tenant_id = $1 and project_id = $2 and week < ($3::timestamptz - interval '7 days')::date limit ${BLOCKS}) old
     where b.week = old.week and b.id = old.id`,
    valuesOf(kept),
  );
  return rowCount ?? 0;
}
