import { Where } from '../../platform/db/where.ts';
import { type QueryDeps, withoutBodies } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf, runConditions } from './run-query-sql.ts';

/** A conversation and its traces (contract §1.11, §1.14). Times are in seconds, costs in dollars as decimal text. */
export interface ThreadRow {
  thread_id: string;
  count: number;
  errors: number;
  min_start_time: string;
  max_start_time: string;
  max_end_time: string | null;
  latency_p50: number | null;
  latency_p95: number | null;
  latency_p99: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_cost: string | null;
  completion_cost: string | null;
  total_cost: string | null;
  first_trace_id: string;
  last_trace_id: string;
  first_inputs: string | null;
  last_outputs: string | null;
  last_error: string | null;
  /** Number of matching threads on all pages. */
  total: number;
}

export interface ThreadPage {
  limit: number;
  offset?: number;
  /** The last thread of the previous page. */
  after?: { max_start_time: string; thread_id: string } | undefined;
}

const LATENCY = 'extract(epoch from r.end_time - r.start_time)::float8';
const COUNTED = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
const SHOWN =
  `thread_id count errors min_start_time max_start_time max_end_time latency_p50 latency_p95 latency_p99 first_trace_id
  last_trace_id first_inputs last_outputs last_error total`.split(/\s+/);
const PAID = ['prompt_cost', 'completion_cost', 'total_cost'];

/** Threads with matching traces, by newest trace. */
export function findThreads(deps: QueryDeps, query: RunQuery, page: ThreadPage): Promise<ThreadRow[]> {
  const where = new Where();
  const bind = (value: unknown) => where.bind(value);
  const conditions = runConditions({ ...query, is_root: true }, where);
  const after = page.after
    ? `where (max_start_time, thread_id) < (${bind(page.after.max_start_time)}::timestamptz, ${bind(page.after.thread_id)}::text)`
    : '';
  const text = `with thread as (
      select r.thread_id, count(*) as count, count(r.error) as errors, min(r.start_time) as min_start_time,
        max(r.start_time) as max_start_time, max(r.end_time) as max_end_time,
        percentile_cont(0.5) within group (order by ${LATENCY}) as latency_p50,
        percentile_cont(0.95) within group (order by ${LATENCY}) as latency_p95,
        percentile_cont(0.99) within group (order by ${LATENCY}) as latency_p99,
        array_agg(r.trace_id) as traces,
        (array_agg(r.trace_id order by r.start_time))[1] as first_trace_id,
        (array_agg(r.trace_id order by r.start_time desc))[1] as last_trace_id,
        (array_agg(r.inputs_preview order by r.start_time))[1] as first_inputs,
        (array_agg(r.outputs_preview order by r.start_time desc))[1] as last_outputs,
        (array_agg(left(r.error, 500) order by r.start_time desc) filter (where r.error is not null))[1] as last_error
      from tracing.run r where ${conditions.join(' and ')} and r.thread_id is not null group by r.thread_id),
    page as (
      select *, (select count(*) from thread) as total from thread ${after}
      order by max_start_time desc, thread_id desc limit ${bind(page.limit)}::int offset ${bind(page.offset ?? 0)}::int)
    select ${SHOWN.map((column) => `page.${column}`).join(', ')}, used.* from page cross join lateral (
      select ${COUNTED.map((column) => `coalesce(sum(u.${column}), 0)::bigint as ${column}`).join(', ')},
        ${PAID.map((column) => `sum(u.${column})::text as ${column}`).join(', ')}
      from tracing.run u where u.tenant_id = ${bind(query.tenant_id)}::uuid and u.trace_id = any(page.traces)
        and u.run_type in ('llm', 'embedding')) as used
    order by max_start_time desc, thread_id desc`;
  return readBounded(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, { text, values: where.values });
}

/** Counts the threads of a query's traces. */
export async function countThreads(deps: QueryDeps, unresolved: RunQuery): Promise<number> {
  const where = new Where();
  const conditions = conditionsOf({ ...(await withoutBodies(deps, unresolved)), is_root: true }, where);
  const [row] = await readBounded<{ threads: number }>(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text: `select count(distinct r.thread_id) as threads from tracing.run r where ${conditions.join(' and ')}`,
    values: where.values,
  });
  return row!.threads;
}
