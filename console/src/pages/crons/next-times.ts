import { Cron } from 'croner';

/** When a schedule comes next, `count` times; none for one that cannot be read. */
export function nextTimes(schedule: string, timezone: string | null, count: number): Date[] {
  try {
    return new Cron(schedule, { timezone: timezone || 'UTC', mode: '5-part', paused: true }).nextRuns(count);
  } catch {
    return [];
  }
}

/** What is wrong with a schedule, in words. */
export function scheduleFault(schedule: string): string | undefined {
  try {
    new Cron(schedule, { mode: '5-part', paused: true }).stop();
    return undefined;
  } catch {
    return 'Five fields are needed: minute, hour, day of the month, month, day of the week';
  }
}
