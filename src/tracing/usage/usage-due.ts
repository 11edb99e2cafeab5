import type { Queryable, Statement } from '../../platform/db/database.ts';

const NOTE_DUE = `insert into tracing.usage_due (tenant_id, run_id)
    select t.tenant_id, t.id from unnest($2::uuid[], $3::timestamptz[]) as r (id, start_time)
    join tracing.run t on t.tenant_id = $1 and t.id = r.id and t.start_time = r.start_time
    where t.end_time is not null and t.error is null and coalesce(t.run_type, 'llm') in ('llm', 'embedding')
      and case when t.total_tokens is null then t.run_type is distinct from 'embedding'
        else t.usage ->> 'model' is null and t.usage ->> 'costs_stated' is null end
    on conflict (tenant_id, run_id) do nothing`;

/** Records runs whose usage is still unknown, in the transaction that stores them. */
export const noteDue = (tenantId: string, runs: { id: string; start_time: string }[]): Statement[] =>
  runs.length === 0
    ? []
    : [
        {
          name: 'tracing-note-usage-due',
          text: NOTE_DUE,
          values: [tenantId, runs.map(({ id }) => id), runs.map(({ start_time }) => start_time)],
        },
      ];

export interface DueRun {
  tenant_id: string;
  run_id: string;
  /** Whether to stop waiting for more data. */
  is_old: boolean;
}

/** Claims due runs. They become due again unless settled within two minutes. */
export async function claimDue(db: Queryable, limit: number): Promise<DueRun[]> {
  const { rows } = await db.query<DueRun>(
    `update tracing.usage_due d set due_at = clock_timestamp() + interval '2 minutes'
     from (select tenant_id, run_id from tracing.usage_due where due_at <= clock_timestamp()
       order by due_at limit $1 for update skip locked) as first
     where d.tenant_id = first.tenant_id and d.run_id = first.run_id
     returning d.tenant_id, d.run_id, d.created_at < clock_timestamp() - interval '1 hour' as is_old`,
    [limit],
  );
  return rows;
}

export async function settleDue(db: Queryable, tenantId: string, runIds: string[]): Promise<void> {
  if (runIds.length === 0) return;
  await db.query('delete from tracing.usage_due where tenant_id = $1 and run_id = any($2)', [
    tenantId,
    runIds,
  ]);
}
