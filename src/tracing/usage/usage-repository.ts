import type { Queryable } from '../../platform/db/database.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import type { UsageColumns } from './usage-columns.ts';

export type CountedRun = RunRow & { is_posted: boolean };

/** The newest run of each id. */
export async function findRuns(db: Queryable, tenantId: string, ids: string[]): Promise<CountedRun[]> {
  const { rows } = await db.query<CountedRun>(
    `select distinct on (r.id) ${RUN_ROW}, r.is_posted from tracing.run r where r.tenant_id = $1 and r.id = any($2)
     order by r.id, r.is_posted desc, r.start_time desc`,
    [tenantId, ids],
  );
  return rows;
}

/** Writes usage and cost of runs that have not changed since they were read. Returns their ids. */
export async function writeUsage(
  db: Queryable,
  tenantId: string,
  counted: { run: Pick<RunRow, 'id' | 'start_time' | 'updated_at'>; columns: UsageColumns }[],
): Promise<string[]> {
  if (counted.length === 0) return [];
  const rows = counted.map(({ run: { id, start_time, updated_at }, columns }) => ({
    id,
    start_time,
    seen: updated_at,
    ...columns,
  }));
  const { rows: written } = await db.query<{ id: string }>(
    `update tracing.run t set prompt_tokens = r.prompt_tokens, completion_tokens = r.completion_tokens,
       total_tokens = r.total_tokens, prompt_cost = r.prompt_cost, completion_cost = r.completion_cost,
       total_cost = r.total_cost, usage = r.usage, updated_at = clock_timestamp()
     from json_to_recordset($2) as r (id uuid, start_time timestamptz, seen timestamptz, prompt_tokens bigint,
       completion_tokens bigint, total_tokens bigint, prompt_cost numeric, completion_cost numeric,
       total_cost numeric, usage jsonb)
     where t.tenant_id = $1 and t.id = r.id and t.start_time = r.start_time and t.updated_at = r.seen
     returning t.id`,
    [tenantId, JSON.stringify(rows)],
  );
  return written.map(({ id }) => id);
}
