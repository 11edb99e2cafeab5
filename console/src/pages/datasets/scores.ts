import type { KeyStats } from '../../api/tracing-records.ts';

const SCORE = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

export const scoreText = (score: number | null | undefined): string =>
  score === null || score === undefined ? '–' : SCORE.format(score);

/** Feedback for a key over several runs of an example: the mean score, or the most frequent value. */
export interface FeedbackSummary {
  key: string;
  score: number | null;
  text: string;
}

export function summariesOf(runs: { feedback_stats: Record<string, KeyStats> }[]): FeedbackSummary[] {
  const keys = new Set(runs.flatMap(({ feedback_stats }) => Object.keys(feedback_stats)));
  return [...keys].toSorted().map((key) => {
    const stats = runs.flatMap(({ feedback_stats }) => feedback_stats[key] ?? []);
    const score = mean(stats.flatMap(({ avg }) => avg ?? []));
    const [value] = stats
      .flatMap(({ values }) => Object.entries(values))
      .toSorted(([, one], [, other]) => other - one);
    return { key, score, text: score === null ? (value?.[0] ?? 'given') : scoreText(score) };
  });
}

export const mean = (numbers: number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

export type Change = 'better' | 'worse' | 'same';

// Tolerance for rounding errors in means.
const NOTHING = 1e-9;

/** Difference from the baseline; undefined if either is missing. */
export function changeOf(
  first: number | null | undefined,
  other: number | null | undefined,
  isLowerBetter: boolean,
): Change | undefined {
  if (first === null || first === undefined || other === null || other === undefined) return undefined;
  const by = isLowerBetter ? first - other : other - first;
  return Math.abs(by) < NOTHING ? 'same' : by > 0 ? 'better' : 'worse';
}

// Smaller relative differences are noise.
const NOTICEABLE = 0.1;
const NOTICEABLE_MS = 5;

/** Difference of durations in ms; undefined if too small to notice. */
export function latencyChange(first: number | null, other: number | null): Change | undefined {
  if (first === null || other === null) return undefined;
  const least = Math.max(NOTICEABLE_MS, NOTICEABLE * Math.max(first, other));
  return Math.abs(first - other) < least ? 'same' : changeOf(first, other, true);
}
