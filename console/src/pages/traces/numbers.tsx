import { readTime } from '../../parts/read-time.ts';

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const LONG = 100_000;

export const countText = (value: number): string =>
  Math.abs(value) >= LONG ? SHORT.format(value) : WHOLE.format(value);
export const percentText = (value: number): string => PERCENT.format(value);

/** Seconds of an API as the parts want them. */
export const milliseconds = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : seconds * 1_000;

/** From one moment to another in ms; null while the second has not come. */
export const between = (from: string, until: string | null): number | null =>
  until === null ? null : Math.max(0, readTime(until) - readTime(from));

/** A count; all digits of a long one when it is pointed at. */
export const Count = ({ value }: { value: number | string | null | undefined }) =>
  value === null || value === undefined ? (
    <span className="numeric">–</span>
  ) : (
    <span className="numeric" title={WHOLE.format(Number(value))}>
      {countText(Number(value))}
    </span>
  );

/** A part of 1 in percent. */
export const Share = ({ value, isBad = false }: { value: number | null | undefined; isBad?: boolean }) =>
  value === null || value === undefined ? (
    <span className="numeric">–</span>
  ) : (
    <span className="numeric" style={isBad && value > 0 ? { color: 'var(--bad)' } : undefined}>
      {percentText(value)}
    </span>
  );
