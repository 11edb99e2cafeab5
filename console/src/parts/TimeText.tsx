import { readTime } from './read-time.ts';
import { useNow } from './use-now.ts';

// Of days in hours: in 47 hours it is not always tomorrow.
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const ABSOLUTE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const MOST_DAYS = 30;

/** `3 min. ago`; the day itself once it is long ago. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) > MOST_DAYS * 86_400)
    return new Date(at).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [];
  if (!unit || !size) return Math.abs(seconds) < 10 ? 'just now' : RELATIVE.format(seconds, 'second');
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

export const absoluteTime = (at: string | number): string => ABSOLUTE.format(readTime(at));

/** A moment as people say it; exactly, when it is pointed at. */
export function TimeText({ at, absolute = false }: { at: string | number | null; absolute?: boolean }) {
  const now = useNow();
  if (at === null) return <span aria-label="never">–</span>;
  const date = new Date(readTime(at));
  // A clock that is behind the server's must not say "in 1 second".
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
