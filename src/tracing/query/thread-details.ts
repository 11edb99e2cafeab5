import type { QueryDeps } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';

const KINDS = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;

/** Sums by category; a kind of which nothing was said is not there. */
export type ThreadDetails = Partial<Record<(typeof KINDS)[number], Record<string, number>>>;

/** What the model calls of a thread used, by category (contract §1.14): tokens, and dollars. */
export async function threadDetails(
  { db, config }: QueryDeps,
  tenantId: string,
  project: string,
  thread: string,
): Promise<ThreadDetails> {
  const [row] = await readBounded<{ details: ThreadDetails | null }>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `with detail as (
        select kind, key, sum(value::numeric) as value from tracing.run u, unnest($4::text[]) as kind,
          jsonb_each_text(case when jsonb_typeof(u.usage -> kind) = 'object' then u.usage -> kind end)
        where u.tenant_id = $1 and u.run_type in ('llm', 'embedding') and u.trace_id in (
          select r.trace_id from tracing.run r where r.tenant_id = $1 and r.project_id = $2 and r.thread_id = $3
            and r.parent_run_id is null)
        group by kind, key)
      select jsonb_object_agg(kind, map) as details
      from (select kind, jsonb_object_agg(key, value) as map from detail group by kind) as kinds`,
    values: [tenantId, project, thread, KINDS],
  });
  return row?.details ?? {};
}
