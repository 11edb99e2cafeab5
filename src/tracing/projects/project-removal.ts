import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { removeRuns } from '../runs/run-removal.ts';

const RUNS_AT_ONCE = 500;
const BLOCKS_AT_ONCE = 200;

/** Input of workflows that remove a project. */
export interface ProjectToRemove {
  tenant_id: string;
  project_id: string;
}

/** Hides the project and rejects further runs. Returns false if it did not exist. */
export async function removeProject(
  db: Queryable,
  { tenant_id, project_id }: ProjectToRemove,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from tracing.project where tenant_id = $1 and id = $2', [
    tenant_id,
    project_id,
  ]);
  return rowCount === 1;
}

export async function projectExists(
  db: Queryable,
  { tenant_id, project_id }: ProjectToRemove,
): Promise<boolean> {
  const { rowCount } = await db.query('select from tracing.project where tenant_id = $1 and id = $2', [
    tenant_id,
    project_id,
  ]);
  return rowCount === 1;
}

/** Deletes everything logged into a removed project; resumable. Returns the number of deleted runs. */
export async function removeRunsOf(db: Database, project: ProjectToRemove): Promise<number> {
  let removed = 0;
  for (let count = -1; count !== 0; removed += count)
    count = await inTransaction(db, (tx) => removeSomeRuns(tx, project));
  for (let count = -1; count !== 0;) count = await removeSomeBlocks(db, project);
  // Threads in annotation queues were deleted with their runs.
  for (const table of ['feedback', 'annotation_queue_run', 'thread_share', 'run_words'])
    await db.query(`delete from tracing.${table} where tenant_id = $1 and project_id = $2`, [
      project.tenant_id,
      project.project_id,
    ]);
  return removed;
}

async function removeSomeRuns(tx: Queryable, { tenant_id, project_id }: ProjectToRemove): Promise<number> {
  const { rows } = await tx.query<{ id: string; start_time: string; project_id: string }>(
    `select id, start_time, project_id from tracing.run where tenant_id = $1 and project_id = $2
     order by start_time desc, id limit ${RUNS_AT_ONCE} for update`,
    [tenant_id, project_id],
  );
  await removeRuns(tx, tenant_id, rows);
  return rows.length;
}

async function removeSomeBlocks(db: Queryable, { tenant_id, project_id }: ProjectToRemove): Promise<number> {
  const { rowCount } = await db.query(
    `delete from tracing.body_block b using (
       select week, id from tracing.body_block where tenant_id = $1 and project_id = $2 limit ${BLOCKS_AT_ONCE}) w
     where b.week = w.week and b.id = w.id`,
    [tenant_id, project_id],
  );
  return rowCount ?? 0;
}
