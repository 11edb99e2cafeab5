import { type CronSpec, isTime, nextTime, zoneOf } from './cron-times.ts';

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;
const YEARS = 3;

/** A local minute in a time zone. */
export interface WallMinute {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

/**
 * Times in the coming years that fall into the hour skipped when clocks go forward. Cron fires at the end of the gap,
 * but Temporal doesn't fire at all, so the schedule needs these times explicitly.
 */
export function jumpedTimes(spec: CronSpec, from: Date): WallMinute[] {
  const wallOf = wallClock(zoneOf(spec.timezone ?? 'UTC'));
  return jumps(wallOf, from)
    .filter((at) => nextTime(spec, new Date(at - 1))?.getTime() === at && !isTime(spec, new Date(at)))
    .map(wallOf);
}

/** The moments at which clocks go forward. */
function jumps(wallOf: (at: number) => WallMinute, from: Date): number[] {
  const offset = (at: number) => {
    const { year, month, day, hour, minute } = wallOf(at);
    return Date.UTC(year, month - 1, day, hour, minute) - at;
  };
  const found: number[] = [];
  const start = Math.floor(from.getTime() / MINUTE) * MINUTE;
  for (let before = start; before < start + YEARS * 366 * 24 * 60 * MINUTE; before += WEEK) {
    if (offset(before + WEEK) <= offset(before)) continue;
    let [low, high] = [before, before + WEEK];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (offset(middle) > offset(before)) high = middle;
      else low = middle;
    }
    found.push(high);
  }
  return found;
}

function wallClock(timeZone: string): (at: number) => WallMinute {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (at) => {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return { year, month, day, hour, minute };
  };
}
