import { readTime } from '../../parts/read-time.ts';

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const LONG = 100_000;

export const countText = (value: number): string =>
  Math.abs(value) >= LONG ? SHORT.format(value) : WHOLE.format(value);
export const percentText = (value: number): string => PERCENT.format(value);

/** Converts the API's seconds to milliseconds. */
export const milliseconds = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : seconds * 1_000;

/** Milliseconds between two times; null while the second is missing. */
export const between = (from: string, until: string | null): number | null =>
  until === null ? null : Math.max(0, readTime(until) - readTime(from));

/** An abbreviated count, with all digits in a tooltip. */
export const Count = ({ value }: { value: number | string | null | undefined }) =>
  value === null || value === undefined ? (
    <span className="numeric">–</span>
  ) : (
    <span className="numeric" title={WHOLE.format(Number(value))}>
      {countText(Number(value))}
    </span>
  );

/** A fraction as a percentage. */
export const Share = ({ value, isBad = false }: { value: number | null | undefined; isBad?: boolean }) =>
  value === null || value === undefined ? (
    <span className="numeric">–</span>
  ) : (
    <span className="numeric" style={isBad && value > 0 ? { color: 'var(--bad)' } : undefined}>
      {percentText(value)}
    </span>
  );
