import { Cron as Times } from 'croner';
import { InvalidRequest } from '../../platform/errors.ts';

// The five fields everyone agrees on; what else the library knows, Temporal does not.
const FIELDS = /^([\d*/,-]|[a-z]{3})+( +([\d*/,-]|[a-z]{3})+){4}$/i;

/** When a cron fires: a five-field expression, read in a time zone. */
export interface CronSpec {
  schedule: string;
  /** Of the IANA list; null is UTC. */
  timezone: string | null;
}

/** Throws InvalidRequest when the expression or the zone is not one, or never comes true. */
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
 * The first time after a moment. Where clocks go forward over it, it comes when they have; where they go back, it
 * comes once.
 */
export const nextTime = (spec: CronSpec, after: Date): Date | undefined =>
  timesOf(spec).nextRun(after) ?? undefined;

/** True when clocks in the cron's zone show one of its times, be it for the second time that night. */
export const isTime = (spec: CronSpec, at: Date): boolean => timesOf(spec).match(at);

const timesOf = ({ schedule, timezone }: CronSpec): Times =>
  new Times(schedule.trim(), { timezone: timezone ?? 'UTC', mode: '5-part', paused: true });

/** The zone under the name every time zone database knows. Throws InvalidRequest. */
export function zoneOf(timezone: string): string {
  try {
    // Offsets are no zones, though newer engines take them for such.
    if (/^[a-z]/i.test(timezone))
      return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    // Told below.
  }
  throw new InvalidRequest(`Invalid timezone '${timezone}': it takes a name such as America/New_York`);
}

/**
 * Wakes that cover every time of the cron. Temporal wants day of month and day of week both to match, where cron
 * takes either.
 */
export function wakesOf({ schedule }: CronSpec): string[] {
  const [minute, hour, day, month, named = ''] = schedule.trim().split(/ +/);
  // A week that ends on Sunday ends on its seventh day.
  const weekday = named.replace(/(?<!sun|0)-sun/gi, '-7');
  if (day === '*' || weekday === '*') return [`${minute} ${hour} ${day} ${month} ${weekday}`];
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`];
}
