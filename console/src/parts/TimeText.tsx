import { readTime } from './read-time.ts';
import { useNow } from './use-now.ts';

// Numeric, because “tomorrow” would be wrong for many times within 47 hours.
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const ABSOLUTE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const MAX_DAYS = 30;

/** `3 min. ago`; the date for times long ago. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) > MAX_DAYS * 86_400)
    return new Date(at).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (!unit || !size) return Math.abs(seconds) < 10 ? 'just now' : RELATIVE.format(seconds, 'second');
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

export const absoluteTime = (at: string | number): string => ABSOLUTE.format(readTime(at));

/** A relative time with the exact one in a tooltip. */
export function TimeText({ at, absolute = false }: { at: string | number | null; absolute?: boolean }) {
  const now = useNow();
  if (at === null) return <span aria-label="never">–</span>;
  const date = new Date(readTime(at));
  // Browser clocks that are behind the server must not show "in 1 second".
  const shown = absolute ? absoluteTime(at) : relativeTime(date.getTime(), Math.max(now, 0));
  return (
    <time
      className="numeric"
      dateTime={date.toISOString()}
      title={`${absoluteTime(at)} (${date.toISOString()})`}
      style={{ whiteSpace: 'nowrap' }}
    >
      {shown}
    </time>
  );
}
