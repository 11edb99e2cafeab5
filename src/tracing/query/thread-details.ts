import { Where } from '../../platform/db/where.ts';
import { type QueryDeps, withoutBodies } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf } from './run-query-sql.ts';

const KINDS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;

/** Sums by category. Kinds without data are missing. */
export type ThreadDetails = Partial<Record<(typeof KINDS)[number], Record<string, number>>>;

/** Usage of the model calls of a query by category (contract §1.14), in tokens and dollars. */
export async function threadDetails(deps: QueryDeps, unresolved: RunQuery): Promise<ThreadDetails> {
  const { db, config } = deps;
  const query = await withoutBodies(deps, unresolved);
  const where = new Where();
  const conditions = conditionsOf({ ...query, is_root: true }, where);
  const kinds = `unnest(${where.bind(KINDS)}::text[]) as kind`;
  const [row] = await readBounded<{ details: ThreadDetails | null }>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `with detail as (
        select kind, key, sum(value::numeric) as value from tracing.run u, ${kinds},
          jsonb_each_text(case when jsonb_typeof(u.usage -> kind) = 'object' then u.usage -> kind end)
        where u.tenant_id = ${where.bind(query.tenant_id)}::uuid and u.run_type in ('llm', 'embedding')
          and u.trace_id in (select r.trace_id from tracing.run r where ${conditions.join(' and ')})
        group by kind, key)
      select jsonb_object_agg(kind, map) as details
      from (select kind, jsonb_object_agg(key, value) as map from detail group by kind) as kinds`,
    values: where.values,
  });
  return row?.details ?? {};
}
