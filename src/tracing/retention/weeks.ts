import { type Database, inTransaction, type Queryable, sqlState } from '../../platform/db/database.ts';
import { forgetWeek } from '../query/fold-minutes.ts';
import type { ProjectRetention } from './project-retention.ts';

export type Parted = 'run' | 'body_block';

/** A partition and its exclusive upper time bound. */
export interface Week {
  table: string;
  until: string;
}

const LOCK_NOT_AVAILABLE = '55P03';

class StillNeeded extends Error {}

/** Weekly partitions, oldest first. */
export async function listWeeks(db: Queryable, parted: Parted): Promise<Week[]> {
  const { rows } = await db.query<Week>(
    `select c.relname as table, to_date(right(c.relname, 8), 'YYYYMMDD') + 7 + time '00:00' at time zone 'utc' as until
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass and c.relname ~ '_\\d{8}$' order by c.relname`,
    [`tracing.${parted}`],
  );
  return rows;
}

/** Whether one of these projects has a run in the partition with extended retention. */
export async function hasRetainedRuns(
  db: Queryable,
  { table }: Week,
  projects: ProjectRetention[],
): Promise<boolean> {
  if (projects.length === 0) return false;
  const { rows } = await db.query(
    `select from tracing.kept_run k
     join tracing.${table} r on r.tenant_id = k.tenant_id and r.trace_id = k.trace_id
     join unnest($1::uuid[], $2::timestamptz[]) as p (id, kept_before) on p.id = r.project_id and r.start_time >= p.kept_before
     limit 1`,
    [projects.map(({ project_id }) => project_id), projects.map(({ kept_before }) => kept_before)],
  );
  return rows.length > 0;
}

/** Whether one of these projects has any row in the partition. */
export async function hasRows(
  db: Queryable,
  { table }: Week,
  projects: ProjectRetention[],
): Promise<boolean> {
  if (projects.length === 0) return false;
  const { rows } = await db.query(
    `select from unnest($1::uuid[], $2::uuid[]) as k (tenant_id, project_id)
     where exists (select from tracing.${table} r where r.tenant_id = k.tenant_id and r.project_id = k.project_id) limit 1`,
    [projects.map(({ tenant_id }) => tenant_id), projects.map(({ project_id }) => project_id)],
  );
  return rows.length > 0;
}

/**
 * Drops a partition along with attachments and counts of its runs. Returns false if the partition is in use or still
 * needed; the next sweep tries again. The lock timeout keeps writers from waiting long.
 */
export async function dropWeek(
  db: Database,
  parted: Parted,
  { table, until }: Week,
  isNeeded: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  try {
    await inTransaction(db, async (tx) => {
      await tx.query(`set local lock_timeout = '2s'`);
      if (parted === 'run') await forgetWeek(tx, until);
      await tx.query(`lock table tracing.${parted} in access exclusive mode`);
      // Checks again under the lock, because a run may have been written since.
      if (await isNeeded(tx)) throw new StillNeeded();
      if (parted === 'run')
        for (const side of ['attachment', 'kept_run'])
          await tx.query(
            `delete from tracing.${side} a using tracing.${table} r where a.tenant_id = r.tenant_id and a.run_id = r.id`,
          );
      await tx.query(`drop table tracing.${table}`);
    });
    return true;
  } catch (error) {
    if (error instanceof StillNeeded || sqlState(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
