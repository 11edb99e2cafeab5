import type { GroupBy, Series } from '../../api/tracing-charts.ts';
import { countText, percentText } from '../traces/numbers.tsx';
import { durationText } from '../../parts/Duration.tsx';

export interface ChartSpec {
  id: string;
  title: string;
  series: Series[];
  /** A value as it is read. */
  text: (value: number) => string;
  /** Groups are stacked bars, lines are lines. */
  isSum?: boolean;
}

const roots = { filter: 'eq(is_root, true)' };
const failed = { filter: 'and(eq(is_root, true), eq(status, "error"))' };

const seconds = (value: number): string => durationText(value * 1_000);
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 3,
});
const dollars = (value: number): string => DOLLARS.format(value);

/** Of traces, by their roots. */
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
      { name: 'p99', metric: 'latency_p99', filters: roots },
    ],
    text: seconds,
  },
  {
    id: 'first-token',
    title: 'Time to first token',
    series: [
      { name: 'p50', metric: 'first_token_p50' },
      { name: 'p99', metric: 'first_token_p99' },
    ],
    text: seconds,
  },
];

export const GROUPS: Record<string, { label: string; by: GroupBy }> = {
  model: { label: 'Model', by: { attribute: 'metadata', path: 'ls_model_name', max_groups: 6 } },
  // Agents that are deployed here log into a project of their deployment's name.
  deployment: { label: 'Deployment', by: { attribute: 'project', max_groups: 6 } },
  tag: { label: 'Tag', by: { attribute: 'tag', max_groups: 6 } },
};

/** What was used, in parts: by model, deployment or tag. */
export const usageCharts = (group: string): ChartSpec[] => {
  const { label, by } = GROUPS[group]!;
  const of = label.toLowerCase();
  return [
    {
      id: 'tokens',
      title: `Tokens by ${of}`,
      series: [{ name: 'Tokens', metric: 'total_tokens', group_by: by }],
      text: countText,
      isSum: true,
    },
    {
      id: 'cost',
      title: `Cost by ${of}`,
      series: [{ name: 'Cost', metric: 'total_cost', group_by: by }],
      text: dollars,
      isSum: true,
    },
    {
      id: 'runs-by',
      title: `Runs by ${of}`,
      series: [{ name: 'Runs', metric: 'run_count', group_by: by }],
      text: countText,
      isSum: true,
    },
    {
      id: 'latency-by',
      title: `Latency p50 by ${of}`,
      series: [{ name: 'p50', metric: 'latency_p50', group_by: by }],
      text: seconds,
    },
  ];
};

/** A line in one number: all of a sum, the latest of what is measured. */
export function summaryOf(values: (number | null)[], isSum: boolean): number | undefined {
  const there = values.filter((value) => value !== null);
  if (there.length === 0) return undefined;
  return isSum ? there.reduce((sum, value) => sum + value, 0) : there.at(-1);
}
