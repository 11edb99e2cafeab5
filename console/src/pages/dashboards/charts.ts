import type { GroupBy, Metric, Series } from '../../api/tracing-charts.ts';
import { countText, percentText } from '../traces/numbers.tsx';
import { durationText } from '../../parts/Duration.tsx';

export interface ChartSpec {
  id: string;
  title: string;
  series: Series[];
  /** Formats a value. */
  text: (value: number) => string;
  /** Axis increments; decimal by default. */
  steps?: number[];
  /** Draws stacked bars instead of lines. */
  isSum?: boolean;
}

const roots = { filter: 'eq(is_root, true)' };
const failed = { filter: 'and(eq(is_root, true), eq(status, "error"))' };

const seconds = (value: number): string => durationText(value * 1_000);
// Increments for durations in seconds, because minutes are not decimal.
const DURATIONS = [1, 10, 100, 1_000]
  .flatMap((scale) => [1, 2, 5].map((part) => (part * scale) / 1_000))
  .concat([10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400]);
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 3,
});
const dollars = (value: number): string => DOLLARS.format(value);

/** Charts of traces, by their roots. */
export const TRACE_CHARTS: ChartSpec[] = [
  {
    id: 'runs',
    title: 'Traces',
    series: [
      { name: 'All', metric: 'run_count', filters: roots },
      { name: 'Failed', metric: 'run_count', filters: failed },
    ],
    text: countText,
    isSum: true,
  },
  {
    id: 'errors',
    title: 'Error rate',
    series: [{ name: 'Error rate', metric: 'error_rate', filters: roots }],
    text: percentText,
  },
  {
    id: 'latency',
    title: 'Latency',
    series: [
      { name: 'p50', metric: 'latency_p50', filters: roots },
      { name: 'p95', metric: 'latency_p95', filters: roots },
      { name: 'p99', metric: 'latency_p99', filters: roots },
    ],
    text: seconds,
    steps: DURATIONS,
  },
  {
    id: 'first-token',
    title: 'Time to first token',
    series: [
      { name: 'p50', metric: 'first_token_p50' },
      { name: 'p95', metric: 'first_token_p95' },
      { name: 'p99', metric: 'first_token_p99' },
    ],
    text: seconds,
    steps: DURATIONS,
  },
];

const MAX_GROUPS = 6;
export const GROUPS: Record<string, { label: string; by?: GroupBy }> = {
  model: { label: 'Model', by: { attribute: 'metadata', path: 'ls_model_name', max_groups: MAX_GROUPS } },
  // Deployed agents log to a project named after their deployment.
  deployment: { label: 'Deployment', by: { attribute: 'project', max_groups: MAX_GROUPS } },
  // No group_by: tags are on roots, but usage is on the model calls below them.
  tag: { label: 'Tag' },
};
export const MAX_TAGS = MAX_GROUPS;

/** Usage by model, deployment or tag; `tags` are the tags to draw. */
export function usageCharts(group: string, tags: string[]): ChartSpec[] {
  const { label, by } = GROUPS[group]!;
  const of = label.toLowerCase();
  const parts = (metric: Metric): Series[] =>
    by
      ? [{ name: label, metric, group_by: by }]
      : tags.map((tag) => ({ name: tag, metric, filters: { trace_filter: hasTag(tag) } }));
  const ofTraces = (metric: Metric): Series[] =>
    by
      ? parts(metric)
      : tags.map((tag) => ({
          name: tag,
          metric,
          filters: { filter: `and(${roots.filter}, ${hasTag(tag)})` },
        }));
  return [
    { id: 'tokens', title: `Tokens by ${of}`, series: parts('total_tokens'), text: countText, isSum: true },
    { id: 'cost', title: `Cost by ${of}`, series: parts('total_cost'), text: dollars, isSum: true },
    { id: 'runs-by', title: `Runs by ${of}`, series: ofTraces('run_count'), text: countText, isSum: true },
    {
      id: 'latency-by',
      title: `Latency p50 by ${of}`,
      series: ofTraces('latency_p50'),
      text: seconds,
      steps: DURATIONS,
    },
  ];
}

const hasTag = (tag: string): string => `has(tags, ${JSON.stringify(tag)})`;

/** One number per line: the total of sums, otherwise the latest value. */
export function summaryOf(values: (number | null)[], isSum: boolean): number | undefined {
  const there = values.filter((value) => value !== null);
  if (there.length === 0) return undefined;
  return isSum ? there.reduce((sum, value) => sum + value, 0) : there.at(-1);
}
