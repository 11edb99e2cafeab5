import type { Queryable } from '../../platform/db/database.ts';
import { RUN_ROW, type RunRow } from './run-row.ts';

/** Finds the newest run with this id, because clients choose ids and may reuse them. */
export async function findRun(db: Queryable, tenantId: string, id: string): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>(
    {
      name: 'tracing-find-run',
      text: `select ${RUN_ROW} from tracing.run r where r.tenant_id = $1 and r.id = $2
        order by r.is_posted desc, r.start_time desc limit 1`,
    },
    [tenantId, id],
  );
  return rows[0];
}

/** Finds the newest run of each id. Missing ids are left out. */
export async function findRuns(db: Queryable, tenantId: string, ids: string[]): Promise<RunRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.query<RunRow>(
    `select distinct on (r.id) ${RUN_ROW} from tracing.run r where r.tenant_id = $1 and r.id = any($2)
     order by r.id, r.is_posted desc, r.start_time desc`,
    [tenantId, ids],
  );
  return rows;
}
