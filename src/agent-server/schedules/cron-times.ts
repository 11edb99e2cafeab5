import { Cron as Times } from 'croner';
import { InvalidRequest } from '../../platform/errors.ts';

// The five standard fields; Temporal doesn't support the library's extensions.
const FIELDS = /^([\d*/,-]|[a-z]{3})+( +([\d*/,-]|[a-z]{3})+){4}$/i;

/** When a cron fires: a five-field expression in a time zone. */
export interface CronSpec {
  schedule: string;
  /** IANA name; null is UTC. */
  timezone: string | null;
}

/** Throws InvalidRequest if the expression or the zone is invalid, or the cron never fires. */
export function checkSpec(spec: CronSpec): void {
  const { schedule, timezone } = spec;
  if (timezone !== null) zoneOf(timezone);
  if (!FIELDS.test(schedule.trim())) throw badSchedule(schedule, 'it takes five fields, such as 0 9 * * MON');
  let next: Date | undefined;
  try {
    next = nextTime(spec, new Date());
  } catch (error) {
    throw badSchedule(schedule, (error as Error).message.replace(/^CronPattern: /, ''));
  }
  if (!next) throw badSchedule(schedule, 'it never comes');
}

const badSchedule = (schedule: string, why: string) =>
  new InvalidRequest(`Invalid cron schedule '${schedule}': ${why}`);

/**
 * The first time after a moment. A time skipped when clocks go forward fires right after the gap; a time repeated
 * when clocks go back fires once.
 */
export const nextTime = (spec: CronSpec, after: Date): Date | undefined =>
  timesOf(spec).nextRun(after) ?? undefined;

/** True if the local time in the cron's zone is one of its times, including the second pass when clocks go back. */
export const isTime = (spec: CronSpec, at: Date): boolean => timesOf(spec).match(at);

const timesOf = ({ schedule, timezone }: CronSpec): Times =>
  new Times(schedule.trim(), { timezone: timezone ?? 'UTC', mode: '5-part', paused: true });

/** Maps a zone to the name that every time zone database knows. Throws InvalidRequest. */
export function zoneOf(timezone: string): string {
  try {
    // An offset isn't a zone, though newer engines accept it as one.
    if (/^[a-z]/i.test(timezone))
      return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    // Handled below.
  }
  throw new InvalidRequest(`Invalid timezone '${timezone}': must be a name such as America/New_York`);
}

/**
 * Cron expressions that together cover every time of the cron. Temporal requires both day of month and day of week to
 * match, while cron accepts either.
 */
export function wakesOf({ schedule }: CronSpec): string[] {
  const [minute, hour, day, month, named = ''] = schedule.trim().split(/ +/);
  // In a week that ends on Sunday, Sunday is day seven.
  const weekday = named.replace(/(?<!sun|0)-sun/gi, '-7');
  if (day === '*' || weekday === '*') return [`${minute} ${hour} ${day} ${month} ${weekday}`];
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`];
}
