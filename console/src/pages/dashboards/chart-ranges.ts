import type { Buckets } from '../../api/tracing-charts.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];

/** Time ranges and their bucket sizes. */
export const RANGES: Record<string, { label: string; ms: number; minutes: number }> = {
  '1h': { label: 'Last hour', ms: HOUR, minutes: 1 },
  '6h': { label: 'Last 6 hours', ms: 6 * HOUR, minutes: 5 },
  '24h': { label: 'Last 24 hours', ms: DAY, minutes: 30 },
  '7d': { label: 'Last 7 days', ms: 7 * DAY, minutes: 180 },
  '30d': { label: 'Last 30 days', ms: 30 * DAY, minutes: 720 },
  '90d': { label: 'Last 90 days', ms: 90 * DAY, minutes: 1_440 },
};
export const DEFAULT_RANGE = '24h';

/** Buckets of a range that ends now, aligned to the clock so that they do not shift. */
export function bucketsOf(range: string): Buckets {
  const { ms, minutes } = RANGES[range] ?? RANGES[DEFAULT_RANGE]!;
  const step = minutes * 60_000;
  const until = Date.now();
  return { from: Math.floor((until - ms) / step) * step, until, minutes };
}
