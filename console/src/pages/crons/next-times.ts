import { Cron } from 'croner';

/** The next `count` run times; empty for an invalid schedule. */
export function nextTimes(schedule: string, timezone: string | null, count: number): Date[] {
  try {
    return new Cron(schedule, { timezone: timezone || 'UTC', mode: '5-part', paused: true }).nextRuns(count);
  } catch {
    return [];
  }
}

/** Error message for an invalid schedule. */
export function scheduleFault(schedule: string): string | undefined {
  try {
    new Cron(schedule, { mode: '5-part', paused: true }).stop();
    return undefined;
  } catch {
    return 'Enter five fields: minute, hour, day of the month, month, day of the week';
  }
}
