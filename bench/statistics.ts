export const median = (samples: number[]): number => percentile(samples, 50);

/** The smallest sample that at least this percentage of samples does not exceed; NaN without samples. */
export function percentile(samples: number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}

/** Rounds to three significant digits, more than any of these figures has. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
