import type { Queryable, Statement } from '../../platform/db/database.ts';

/**
 * Extends the retention of these runs' traces to the long tier (contract §4.2), even before the runs arrive.
 * Undefined for no runs.
 */
export function retainStatement(tenantId: string, runIds: string[]): Statement | undefined {
  if (runIds.length === 0) return undefined;
  // A fixed lock order prevents deadlocks between writers.
  const ids = [...new Set(runIds)].sort();
  return {
    text: `insert into tracing.kept_run (tenant_id, run_id, trace_id)
      select $1, n.id, (select r.trace_id from tracing.run r where r.tenant_id = $1 and r.id = n.id
        order by r.start_time desc limit 1)
      from unnest($2::uuid[]) as n (id) on conflict (tenant_id, run_id) do nothing`,
    values: [tenantId, ids],
  };
}

/** Those of these traces with extended retention. */
export async function retainedTraces(
  db: Queryable,
  tenantId: string,
  traceIds: string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ trace_id: string }>(
    {
      name: 'tracing-kept-traces',
      text: 'select trace_id from tracing.kept_run where tenant_id = $1 and trace_id = any($2)',
    },
    [tenantId, [...new Set(traceIds)]],
  );
  return new Set(rows.map(({ trace_id }) => trace_id));
}

/** Resolves the traces of runs marked before they arrived. Forgets runs that did not arrive within a day. */
export async function resolveRetainedRuns(db: Queryable): Promise<void> {
  await db.query(
    `update tracing.kept_run k set trace_id = r.trace_id from tracing.run r
     where k.trace_id is null and r.tenant_id = k.tenant_id and r.id = k.run_id`,
  );
  await db.query(
    `delete from tracing.kept_run where trace_id is null and created_at < clock_timestamp() - interval '1 day'`,
  );
}
