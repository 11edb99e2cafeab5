import type { Statement } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { type QueryDeps, withoutBodies } from './find-runs.ts';
import { isWithThem, readCounted } from './read-counted.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf } from './run-query-sql.ts';

const KINDS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;

/** Sums by category; a kind of which nothing was said is not there. */
export type ThreadDetails = Partial<Record<(typeof KINDS)[number], Record<string, number>>>;

/** What the model calls of the traces of a query used, by category (contract §1.14): tokens, and dollars. */
export async function threadDetails(deps: QueryDeps, asked: RunQuery): Promise<ThreadDetails> {
  const query = { ...(await withoutBodies(deps, asked)), is_root: true };
  const [row] = await readCounted<{ details: ThreadDetails | null }>(deps, query, detailsStatement);
  return row?.details ?? {};
}

function detailsStatement(query: RunQuery): Statement {
  const where = new Where();
  const conditions = conditionsOf(query, where);
  const kinds = `unnest(${where.bind(KINDS)}::text[]) as kind`;
  return {
    text: `with trace as materialized (select r.trace_id, r.pack from tracing.any_run r where ${conditions.join(' and ')}),
      detail as (
        select kind, key, sum(value::numeric) as value from tracing.any_run u, ${kinds},
          jsonb_each_text(case when jsonb_typeof(u.usage -> kind) = 'object' then u.usage -> kind end)
        where u.tenant_id = ${where.bind(query.tenant_id)}::uuid and u.run_type in ('llm', 'embedding')
          and u.trace_id in (select trace_id from trace) and ${isWithThem('u', 'trace', query)}
        group by kind, key)
      select jsonb_object_agg(kind, map) as details
      from (select kind, jsonb_object_agg(key, value) as map from detail group by kind) as kinds`,
    values: where.values,
  };
}
