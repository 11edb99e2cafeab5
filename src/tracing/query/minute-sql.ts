const MINUTE = `date_trunc('minute', r.start_time)`;
const KEYS = 'tenant_id, project_id, minute, is_root, run_type';
const SECONDS = (until: string) => `extract(epoch from r.${until} - r.start_time)::float8`;
const IS_MODEL = `r.run_type in ('llm', 'embedding')`;

/** Counters in tracing.run_minute. */
export const COUNTS = `runs, errors, streamed, ended, seconds, last_start_time, total_tokens, prompt_tokens,
  completion_tokens, total_cost, prompt_cost, completion_cost`;

// Values with percentiles. Tokens and costs are per model call.
const KINDS = `('latency', ${SECONDS('end_time')}), ('first_token', ${SECONDS('first_token_time')}),
  ('total_tokens', case when ${IS_MODEL} then r.total_tokens::float8 end),
  ('prompt_tokens', case when ${IS_MODEL} then r.prompt_tokens::float8 end),
  ('completion_tokens', case when ${IS_MODEL} then r.completion_tokens::float8 end),
  ('total_cost', case when ${IS_MODEL} then r.total_cost::float8 end)`;

const sumOf = (column: string) => `sum(r.${column}) filter (where ${IS_MODEL})`;
const KEY_COLUMNS = `r.tenant_id, r.project_id, ${MINUTE} as minute, r.parent_run_id is null as is_root,
  coalesce(r.run_type, 'chain') as run_type`;

/** Recomputes rows of tracing.run_minute for runs that meet a condition. */
export const minuteSql = (condition: string): string => `
  select ${KEY_COLUMNS}, count(*) as runs, count(r.error) as errors, count(r.first_token_time) as streamed,
    count(r.end_time) as ended, coalesce(sum(${SECONDS('end_time')}), 0) as seconds, max(r.start_time) as last_start_time,
    coalesce(${sumOf('total_tokens')}, 0) as total_tokens, coalesce(${sumOf('prompt_tokens')}, 0) as prompt_tokens,
    coalesce(${sumOf('completion_tokens')}, 0) as completion_tokens, ${sumOf('total_cost')} as total_cost,
    ${sumOf('prompt_cost')} as prompt_cost, ${sumOf('completion_cost')} as completion_cost
  from tracing.run r where r.is_posted and ${condition} group by 1, 2, 3, 4, 5`;

/** Recomputes rows of tracing.run_minute_histogram. */
export const histogramSql = (condition: string): string => `
  select ${KEYS}, kind, array_agg(bucket) as buckets, array_agg(n::int) as counts
  from (select ${KEY_COLUMNS}, v.kind, tracing.bucket(v.value) as bucket, count(*) as n
    from tracing.run r cross join lateral (values ${KINDS}) as v (kind, value)
    where r.is_posted and v.value is not null and ${condition} group by 1, 2, 3, 4, 5, 6, 7) as counted
  group by ${KEYS}, kind`;

const HOUR_KEYS = `tenant_id, project_id, date_trunc('hour', minute) as minute, is_root, run_type`;

/** Aggregates minutes into rows of tracing.run_hour. */
export const hourSql = (condition: string): string => `
  select ${HOUR_KEYS}, ${COUNTS.split(/,\s*/)
    .map((name) => (name === 'last_start_time' ? `max(${name})` : `sum(${name})`))
    .join(', ')}
  from tracing.run_minute where ${condition} group by 1, 2, 3, 4, 5`;

/** Aggregates minutes into rows of tracing.run_hour_histogram. */
export const hourHistogramSql = (condition: string): string => `
  select ${KEYS}, kind, array_agg(b) as buckets, array_agg(n::int) as counts
  from (select ${HOUR_KEYS}, kind, b, sum(c) as n
    from tracing.run_minute_histogram, unnest(buckets, counts) as u (b, c)
    where ${condition} group by 1, 2, 3, 4, 5, 6, 7) as counted
  group by ${KEYS}, kind`;
