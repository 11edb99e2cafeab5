import { ownsUsage } from '../usage/trace-totals.ts';

const SECONDS = 'extract(epoch from r.end_time - r.start_time)';
const FIRST_TOKEN = 'extract(epoch from r.first_token_time - r.start_time)';
const at = (share: number, of: string): string => `percentile_cont(${share}) within group (order by ${of})`;
const sumOf = (column: string): string => `sum(r.${column}) filter (where ${ownsUsage('r')})`;
const shareOf = (column: string, share: number): string =>
  `${at(share, `r.${column}`)} filter (where ${ownsUsage('r')})`;

const METRIC_SQL = {
  run_count: 'count(*)',
  latency_p50: at(0.5, SECONDS),
  latency_p95: at(0.95, SECONDS),
  latency_p99: at(0.99, SECONDS),
  latency_avg: `avg(${SECONDS})`,
  first_token_p50: at(0.5, FIRST_TOKEN),
  first_token_p95: at(0.95, FIRST_TOKEN),
  first_token_p99: at(0.99, FIRST_TOKEN),
  total_tokens: sumOf('total_tokens'),
  prompt_tokens: sumOf('prompt_tokens'),
  completion_tokens: sumOf('completion_tokens'),
  median_tokens: shareOf('total_tokens', 0.5),
  prompt_tokens_p50: shareOf('prompt_tokens', 0.5),
  completion_tokens_p50: shareOf('completion_tokens', 0.5),
  tokens_p99: shareOf('total_tokens', 0.99),
  prompt_tokens_p99: shareOf('prompt_tokens', 0.99),
  completion_tokens_p99: shareOf('completion_tokens', 0.99),
  total_cost: sumOf('total_cost'),
  prompt_cost: sumOf('prompt_cost'),
  completion_cost: sumOf('completion_cost'),
  cost_p50: shareOf('total_cost', 0.5),
  cost_p99: shareOf('total_cost', 0.99),
  error_rate: 'avg((r.error is not null)::int)',
  streaming_rate: 'avg((r.first_token_time is not null)::int)',
  // Over feedback `f` with a given key.
  feedback: 'count(*)',
  feedback_score_avg: 'avg(f.score)',
  feedback_values: 'count(*) filter (where f.value is not null)',
} as const;

/** Metrics of a series (contract §1.13, Charts). Times are in seconds. */
export type Metric = keyof typeof METRIC_SQL;
export const METRICS = Object.keys(METRIC_SQL) as Metric[];

export const isOfFeedback = (metric: Metric): boolean => metric.startsWith('feedback');
/** Whether the metric counts tokens or costs, which only model calls have. */
export const isOfUsage = (metric: Metric): boolean => /tokens|cost/.test(metric);
/** Whether the metric is zero without runs. Other metrics are null then. */
export const isCount = (metric: Metric): boolean => METRIC_SQL[metric].startsWith('count');

/** Aggregate over `tracing.run r` or its feedback `f`. */
export const metricSql = (metric: Metric): string => `(${METRIC_SQL[metric]})::float8`;
