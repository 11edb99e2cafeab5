import { Where } from '../../platform/db/where.ts';
import { type QueryDeps, withoutBodies } from './find-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';
import { conditionsOf } from './run-query-sql.ts';
import { TAGS_OF_TRACE } from './trace-tags.ts';

/** Statistics of runs (contract §1.11). Times are in seconds, costs in dollars as decimal text. */
export interface RunStats {
  run_count: number;
  latency_p50: number | null;
  latency_p95: number | null;
  latency_p99: number | null;
  latency_avg: number | null;
  first_token_p50: number | null;
  first_token_p95: number | null;
  first_token_p99: number | null;
  total_tokens: number;
  prompt_tokens: number;
  completion_tokens: number;
  median_tokens: number | null;
  tokens_p99: number | null;
  prompt_tokens_p50: number | null;
  prompt_tokens_p99: number | null;
  completion_tokens_p50: number | null;
  completion_tokens_p99: number | null;
  total_cost: string | null;
  prompt_cost: string | null;
  completion_cost: string | null;
  cost_p50: string | null;
  cost_p99: string | null;
  error_rate: number | null;
  streaming_rate: number | null;
  last_run_start_time: string | null;
}

export interface GroupBy {
  attribute: 'name' | 'run_type' | 'tag' | 'metadata' | 'project_id';
  path?: string | undefined;
  max_groups: number;
}

export interface GroupStats {
  /** Null without grouping and for runs without a value. */
  group: string | null;
  stats: RunStats;
}

const seconds = (until: string) => `extract(epoch from ${until} - start_time)::float8`;
const percentile = (part: number, value: string) =>
  `percentile_cont(${part}) within group (order by ${value})`;
const exactly = (part: number, value: string) => `percentile_disc(${part}) within group (order by ${value})`;

const OF_RUNS = `count(*) as run_count,
  ${percentile(0.5, seconds('end_time'))} as latency_p50,
  ${percentile(0.95, seconds('end_time'))} as latency_p95,
  ${percentile(0.99, seconds('end_time'))} as latency_p99,
  avg(${seconds('end_time')}) as latency_avg,
  ${percentile(0.5, seconds('first_token_time'))} as first_token_p50,
  ${percentile(0.95, seconds('first_token_time'))} as first_token_p95,
  ${percentile(0.99, seconds('first_token_time'))} as first_token_p99,
  count(error)::float8 / nullif(count(*), 0) as error_rate,
  count(first_token_time)::float8 / nullif(count(*), 0) as streaming_rate,
  max(start_time) as last_run_start_time`;

const OF_TOKENS = `coalesce(sum(total_tokens), 0)::bigint as total_tokens,
  coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
  coalesce(sum(completion_tokens), 0)::bigint as completion_tokens,
  ${percentile(0.5, 'total_tokens')} as median_tokens,
  ${percentile(0.99, 'total_tokens')} as tokens_p99,
  ${percentile(0.5, 'prompt_tokens')} as prompt_tokens_p50,
  ${percentile(0.99, 'prompt_tokens')} as prompt_tokens_p99,
  ${percentile(0.5, 'completion_tokens')} as completion_tokens_p50,
  ${percentile(0.99, 'completion_tokens')} as completion_tokens_p99,
  sum(total_cost)::text as total_cost, sum(prompt_cost)::text as prompt_cost,
  sum(completion_cost)::text as completion_cost,
  ${exactly(0.5, 'total_cost')}::text as cost_p50, ${exactly(0.99, 'total_cost')}::text as cost_p99`;

const COUNTED = [
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
];

/** Statistics of all runs of a query, or of each group, largest first. Throws InvalidRequest. */
export async function readStats(deps: QueryDeps, unresolved: RunQuery, by?: GroupBy): Promise<GroupStats[]> {
  const query = await withoutBodies(deps, unresolved);
  const where = new Where();
  const conditions = conditionsOf(query, where);
  const { group, from } = groupSql(by, where);
  const isByTag = by?.attribute === 'tag';
  const ofTags = `select tag.name as grouped, ${COUNTED.map((column) => `r.${column}`).join(', ')} from tracing.run r
    cross join lateral (select distinct unnest(${TAGS_OF_TRACE}) as name) as tag
    where ${conditions.join(' and ')} and r.run_type in ('llm', 'embedding')`;
  // Sums tokens of model calls: for roots over the trace, for tags over traces with the tag.
  const counted = query.is_root
    ? `select m.grouped, ${COUNTED.map((column) => `u.${column}`).join(', ')} from matched m
         join tracing.run u on u.tenant_id = ${where.bind(query.tenant_id)}::uuid
         and u.trace_id = m.trace_id and u.run_type in ('llm', 'embedding')`
    : isByTag
      ? ofTags
      : `select grouped, ${COUNTED.join(', ')} from matched where run_type in ('llm', 'embedding')`;
  const text = `with matched as (
      select ${group} as grouped, r.trace_id, r.start_time, r.end_time, r.first_token_time, r.error, r.run_type,
        ${COUNTED.map((column) => `r.${column}`).join(', ')}
      from tracing.run r ${from} where ${conditions.join(' and ')}),
    runs as (select grouped, ${OF_RUNS} from matched group by grouped),
    tokens as (select grouped as of_group, ${OF_TOKENS} from (${counted}) as counted group by grouped)
    select runs.*, tokens.*, coalesce(runs.grouped, tokens.of_group) as grouped from runs
    ${isByTag ? 'full join tokens on tokens.of_group =' : 'left join tokens on tokens.of_group is not distinct from'} runs.grouped
    order by coalesce(run_count, 0) desc, coalesce(runs.grouped, tokens.of_group) limit ${where.bind(by?.max_groups ?? 1)}::int`;
  const rows = await readBounded<Partial<RunStats> & { grouped: string | null }>(
    deps.db,
    deps.config.SLIPWAY_TRACE_QUERY_SECONDS,
    { text, values: where.values },
  );
  return rows.map((row) => ({ group: row.grouped, stats: statsOf(row) }));
}

export function groupSql(by: GroupBy | undefined, where: Where): { group: string; from: string } {
  if (!by) return { group: 'null::text', from: '' };
  switch (by.attribute) {
    case 'tag':
      return {
        group: 'tag.name',
        from: 'cross join lateral (select distinct unnest(r.tags) as name) as tag',
      };
    case 'metadata':
      return { group: `r.metadata #>> ${where.bind((by.path ?? '').split('.'))}::text[]`, from: '' };
    default:
      return { group: `r.${by.attribute}::text`, from: '' };
  }
}

const statsOf = (row: Partial<RunStats>): RunStats =>
  Object.fromEntries(
    Object.entries(EMPTY).map(([name, none]) => [name, row[name as keyof RunStats] ?? none]),
  ) as unknown as RunStats;

export const EMPTY: RunStats = {
  run_count: 0,
  latency_p50: null,
  latency_p95: null,
  latency_p99: null,
  latency_avg: null,
  first_token_p50: null,
  first_token_p95: null,
  first_token_p99: null,
  total_tokens: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  median_tokens: null,
  tokens_p99: null,
  prompt_tokens_p50: null,
  prompt_tokens_p99: null,
  completion_tokens_p50: null,
  completion_tokens_p99: null,
  total_cost: null,
  prompt_cost: null,
  completion_cost: null,
  cost_p50: null,
  cost_p99: null,
  error_rate: null,
  streaming_rate: null,
  last_run_start_time: null,
};
