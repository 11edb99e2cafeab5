import type { Queryable, Statement } from '../../platform/db/database.ts';

// An arbitrary namespace for these advisory locks.
const TRACES = 1_407_003;
const MODEL_CALLS = `('llm', 'embedding')`;

/**
 * Turns calls in `traced` that contain another model call with usage into chains. A chain with a model's usage is
 * such a call whose span was sent again, and is reset too.
 */
const DEMOTE_OUTER = `call as (
    select r.tenant_id, r.trace_id, r.id, r.dotted_order from traced w
    join tracing.run r on r.tenant_id = w.tenant_id and r.trace_id = w.trace_id
    where r.run_type in ${MODEL_CALLS} and r.total_tokens is not null and length(r.dotted_order) > 58),
  around as (
    select distinct c.tenant_id, c.trace_id, right(segment, 36)::uuid as id
    from call c cross join unnest(string_to_array(c.dotted_order, '.')) as segment
    where right(segment, 36)::uuid <> c.id)
  update tracing.run t set run_type = 'chain', prompt_tokens = null, completion_tokens = null, total_tokens = null,
    prompt_cost = null, completion_cost = null, total_cost = null, usage = null, updated_at = clock_timestamp()
  from around a where t.tenant_id = a.tenant_id and t.trace_id = a.trace_id and t.id = a.id
    and (t.run_type in ${MODEL_CALLS} or t.total_tokens is not null and t.usage ->> 'model' is not null)`;

/**
 * Statements that avoid counting a model call twice if two instrumentations reported it in different requests: only
 * the inner run counts. Requests for the same trace are serialised, so that the later one sees both.
 */
export function demoteOuterCalls(tenantId: string, traceIds: string[]): Statement[] {
  if (traceIds.length === 0) return [];
  const values = [tenantId, traceIds.toSorted()];
  return [
    {
      name: 'tracing-lock-traces',
      text: `select pg_advisory_xact_lock(${TRACES}, hashtext($1::uuid || t::text)) from unnest($2::uuid[]) as t`,
      values,
    },
    {
      name: 'tracing-count-below',
      text: `with traced as (select $1::uuid as tenant_id, t as trace_id from unnest($2::uuid[]) as t), ${DEMOTE_OUTER}`,
      values,
    },
  ];
}

/** The same for traces linked later. Leaves runs alone whose ids do not come from spans. */
export async function demoteOuterCallsLater(
  db: Queryable,
  traces: { tenant_id: string; trace_id: string }[],
): Promise<void> {
  if (traces.length === 0) return;
  await db.query(
    `with traced as (select distinct tenant_id, trace_id
      from unnest($1::uuid[], $2::uuid[]) as t (tenant_id, trace_id)), ${DEMOTE_OUTER}
     and t.id < '00000000-0000-0001-0000-000000000000'`,
    [traces.map(({ tenant_id }) => tenant_id), traces.map(({ trace_id }) => trace_id)],
  );
}
