import { Where } from '../../platform/db/where.ts';
import type { QueryDeps } from './find-runs.ts';
import { COUNTS, histogramSql, minuteSql } from './minute-sql.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import type { RunStats } from './run-stats.ts';

const ASKED = new Set(['tenant_id', 'projects', 'is_root', 'run_type', 'from', 'until']);
const KINDS = [
  'latency',
  'first_token',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
] as const;
type Kind = (typeof KINDS)[number];

/** Whether the counts per minute can answer the query. */
export const isCounted = (query: RunQuery): boolean =>
  query.projects !== undefined &&
  Object.entries(query).every(([name, value]) => value === undefined || ASKED.has(name));

/** Bucket numbers. */
interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

interface Row extends Omit<RunStats, 'run_count'> {
  runs: number;
  errors: number;
  streamed: number;
  ended: number;
  seconds: number;
  percentiles: Partial<Record<Kind, Percentiles>> | null;
}

/**
 * Statistics from counts per minute. Minutes that are dirty or partly in the window are counted live. Percentiles are
 * accurate to 2.5 %. Undefined if there are at most `exact` runs, which are cheap to count exactly.
 */
export async function readMinuteStats(
  deps: QueryDeps,
  query: RunQuery,
  exact: number,
): Promise<Partial<RunStats> | undefined> {
  const where = new Where();
  const tenant = `${where.bind(query.tenant_id)}::uuid`;
  const projects = `${where.bind(query.projects)}::uuid[]`;
  const from = `coalesce(${where.bind(query.from ?? null)}::timestamptz, '-infinity')`;
  const until = `coalesce(${where.bind(query.until ?? null)}::timestamptz, 'infinity')`;
  const type = query.run_type === undefined ? undefined : where.bind(query.run_type);
  const matching =
    (query.is_root === undefined ? 'true' : `is_root = ${query.is_root}`) +
    (type === undefined ? '' : ` and run_type = ${type}::text`);
  // Tokens of roots come from the model calls in their traces.
  const paid = query.is_root ? 'true' : matching;
  const window = `tenant_id = ${tenant} and project_id = any(${projects})`;
  const columns = (of: 'counts' | 'histogram') =>
    `is_root, run_type, ${of === 'counts' ? COUNTS : 'kind, buckets, counts'}`;
  // Whole hours, plus single minutes of hours that are dirty or partly in the window.
  const kept = (of: 'counts' | 'histogram') => `
    select ${columns(of)} from tracing.run_hour${of === 'counts' ? '' : '_histogram'} k
    where ${window} and minute >= ${from} and minute <= ${until} - interval '1 hour'
      and not exists (select 1 from partial h where h.project_id = k.project_id and h.hour = k.minute)
    union all
    select ${columns(of)} from partial h join tracing.run_minute${of === 'counts' ? '' : '_histogram'} k
      on k.tenant_id = ${tenant} and k.project_id = h.project_id and k.minute >= h.hour and k.minute < h.hour + interval '1 hour'
    where k.minute >= ${from} and k.minute <= ${until} - interval '1 minute'
      and not exists (select 1 from live l where l.project_id = k.project_id and l.minute = k.minute)`;
  const live = `r.tenant_id = ${tenant} and (r.project_id, date_trunc('minute', r.start_time)) in (select project_id, minute from live)
    and r.start_time >= ${from} and r.start_time < ${until}
    and r.project_id = any(${projects})
    and r.start_time >= (select min(minute) from live) and r.start_time < (select max(minute) from live) + interval '1 minute'`;
  const sums = COUNTS.split(/,\s*/).map((name) =>
    name === 'last_start_time'
      ? `max(${name}) filter (where ${matching}) as last_run_start_time`
      : `sum(${name}) filter (where ${/^(total|prompt|completion)_/.test(name) ? paid : matching}) as ${name}`,
  );
  const text = `with live as materialized (
      select distinct project_id, minute from (
        select project_id, unnest(minutes) as minute from tracing.run_minute_mark where ${window}
        union all select p, date_trunc('minute', edge) from unnest(${projects}) as p,
          unnest(array[${from}, ${until}]) as edge where isfinite(edge)) as marked
      where minute > ${from} - interval '1 minute' and minute < ${until}),
    partial as materialized (select distinct project_id, date_trunc('hour', minute) as hour from live),
    part as (
      ${kept('counts')}
      union all select is_root, run_type, ${COUNTS} from (${minuteSql(live)}) as now),
    total as (
      select ${sums.join(', ')} from part),
    bucket as materialized (
      select kind, b, sum(c) as n from (
        ${kept('histogram')}
        union all select is_root, run_type, kind, buckets, counts from (${histogramSql(live)}) as now) as histogram,
        unnest(buckets, counts) as u (b, c)
      where case when kind in ('latency', 'first_token') then ${matching} else ${paid} end group by kind, b),
    upto as (
      select kind, b, sum(n) over (partition by kind order by b) as n, sum(n) over (partition by kind) as whole from bucket)
    select total.*, (select jsonb_object_agg(kind, to_jsonb(p) - 'kind') from (
      select kind, min(b) filter (where n >= 0.5 * whole) as p50, min(b) filter (where n >= 0.95 * whole) as p95,
        min(b) filter (where n >= 0.99 * whole) as p99
      from upto group by kind) as p) as percentiles
    from total`;
  const [row] = await readBounded<Row>(deps.db, deps.config.SLIPWAY_TRACE_QUERY_SECONDS, {
    text,
    values: where.values,
  });
  return !row || Number(row.runs ?? 0) <= exact ? undefined : statsOf(row);
}

function statsOf(row: Row): Partial<RunStats> {
  const runs = Number(row.runs);
  const at = (kind: Kind, share: keyof Percentiles): number | null =>
    valueOf(row.percentiles?.[kind]?.[share]);
  return {
    run_count: runs,
    latency_avg: Number(row.ended) > 0 ? row.seconds / Number(row.ended) : null,
    latency_p50: at('latency', 'p50'),
    latency_p95: at('latency', 'p95'),
    latency_p99: at('latency', 'p99'),
    first_token_p50: at('first_token', 'p50'),
    first_token_p95: at('first_token', 'p95'),
    first_token_p99: at('first_token', 'p99'),
    median_tokens: at('total_tokens', 'p50'),
    tokens_p99: at('total_tokens', 'p99'),
    prompt_tokens_p50: at('prompt_tokens', 'p50'),
    prompt_tokens_p99: at('prompt_tokens', 'p99'),
    completion_tokens_p50: at('completion_tokens', 'p50'),
    completion_tokens_p99: at('completion_tokens', 'p99'),
    cost_p50: textOf(at('total_cost', 'p50')),
    cost_p99: textOf(at('total_cost', 'p99')),
    total_tokens: Number(row.total_tokens),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    total_cost: row.total_cost,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    error_rate: Number(row.errors) / runs,
    streaming_rate: Number(row.streamed) / runs,
    last_run_start_time: row.last_run_start_time,
  };
}

const NOT_POSITIVE = -1_000;
const GROWTH = 1.05;
/** The midpoint of a bucket. */
const valueOf = (bucket: number | undefined): number | null =>
  bucket === undefined
    ? null
    : bucket === NOT_POSITIVE
      ? 0
      : Number((GROWTH ** (bucket + 0.5)).toPrecision(4));
const textOf = (value: number | null): string | null => (value === null ? null : String(value));
