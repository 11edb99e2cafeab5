import type { Queryable, Statement } from '../../platform/db/database.ts';

/**
 * Has the traces of these runs kept as long as the long tier is (contract §4.2), whether the runs are there or not;
 * undefined for none.
 */
export function keepStatement(tenantId: string, runIds: string[]): Statement | undefined {
  if (runIds.length === 0) return undefined;
  // In one order everywhere: two writers of the same never wait for each other.
  const ids = [...new Set(runIds)].sort();
  return {
    text: `insert into tracing.kept_run (tenant_id, run_id, trace_id)
      select $1, n.id, (select r.trace_id from tracing.run r where r.tenant_id = $1 and r.id = n.id
        order by r.start_time desc limit 1)
      from unnest($2::uuid[]) as n (id) on conflict (tenant_id, run_id) do nothing`,
    values: [tenantId, ids],
  };
}

/** Which of these traces are kept longer than others of their projects. */
export async function keptTraces(db: Queryable, tenantId: string, traceIds: string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ trace_id: string }>(
    {
      name: 'tracing-kept-traces',
      text: 'select trace_id from tracing.kept_run where tenant_id = $1 and trace_id = any($2)',
    },
    [tenantId, [...new Set(traceIds)]],
  );
  return new Set(rows.map(({ trace_id }) => trace_id));
}

/** Fills in the traces of runs that were named before they came; those that did not come in a day are forgotten. */
export async function settleKept(db: Queryable): Promise<void> {
  await db.query(
    `update tracing.kept_run k set trace_id = r.trace_id from tracing.run r
     where k.trace_id is null and r.tenant_id = k.tenant_id and r.id = k.run_id`,
  );
  await db.query(
    `delete from tracing.kept_run where trace_id is null and created_at < clock_timestamp() - interval '1 day'`,
  );
}
