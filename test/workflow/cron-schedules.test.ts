import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { CronRow } from '../../src/agent-server/records/cron-repository.ts';
import { CronSchedules } from '../../src/agent-server/schedules/cron-schedules.ts';
import { nextTime } from '../../src/agent-server/schedules/cron-times.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';

const temporal = useTemporal();
const deployment = `test-${randomUUID()}`;
const DAY = 24 * 3_600_000;
const made: string[] = [];

const schedules = () =>
  new CronSchedules({ client: temporal.client, deployment, taskQueue: 'nobody', deadlineMs: PATIENCE_MS });

function cronOf(fields: Partial<CronRow>): CronRow {
  const cron_id = randomUUID();
  made.push(cron_id);
  return {
    cron_id,
    assistant_id: randomUUID(),
    thread_id: null,
    timezone: null,
    end_time: null,
    enabled: false,
    ...fields,
  } as CronRow;
}

afterEach(async () => {
  for (const id of made.splice(0)) await schedules().remove(id);
});

/** Every time Temporal wakes the cron in these days. */
async function wakes(cron: CronRow, from: Date, days: number): Promise<string[]> {
  const { startTime } = await temporal.client.connection.workflowService.listScheduleMatchingTimes({
    namespace: 'default',
    scheduleId: schedules().scheduleId(cron.cron_id),
    startTime: { seconds: from.getTime() / 1000 },
    endTime: { seconds: (from.getTime() + days * DAY) / 1000 },
  } as never);
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString());
}

function times(cron: CronRow, from: Date, days: number): string[] {
  const found: string[] = [];
  for (let at = from; ;) {
    const next = nextTime(cron, at);
    if (!next || next.getTime() > from.getTime() + days * DAY) return found;
    found.push(next.toISOString());
    at = next;
  }
}

const today = new Date(Math.floor(Date.now() / DAY) * DAY);
/** When clocks on Lord Howe go forward. When they go back, Temporal fires only for the second of two equal times. */
const nextOctober = new Date(Date.UTC(today.getUTCFullYear() + (today.getUTCMonth() < 9 ? 0 : 1), 9, 1));

describe('Temporal wakes a cron exactly at its times', () => {
  test.each<[schedule: string, timezone: string | null, days: number, from?: Date]>([
    ['*/5 * * * *', null, 3],
    ['*/7 9-17 * * Mon-FRI', 'Asia/Kolkata', 14],
    ['0 9 1,15 jan,mar *', 'America/New_York', 400],
    ['0 0 * * 7', 'UTC', 60],
    ['0 0 * * FRI-SUN', 'Europe/Berlin', 60],
    ['15 */6 */10 * *', 'utc', 60],
    ['30 * * * *', 'Australia/Lord_Howe', 30, nextOctober],
    ['0 4 * * *', 'America/New_York', 400],
  ])('%s in %s', async (schedule, timezone, days, from = today) => {
    const cron = cronOf({ schedule, timezone });
    await schedules().put(cron);
    expect(await wakes(cron, from, days)).toEqual(times(cron, from, days));
  });
});

describe('Temporal wakes a cron at least at its times', () => {
  test.each([
    ['on days whose clocks jump', '30 2 * * *', 'America/New_York', 400],
    ['on days whose clocks jump by half an hour', '15 2 * * *', 'Australia/Lord_Howe', 400],
    ['on days that start late', '0 0 * * *', 'Africa/Cairo', 400],
    ['on a day of the month or of the week', '0 12 */3 * MON', 'Europe/Berlin', 60],
  ])('%s', async (_what, schedule, timezone, days) => {
    const cron = cronOf({ schedule, timezone });
    await schedules().put(cron);
    expect(await wakes(cron, today, days)).toEqual(expect.arrayContaining(times(cron, today, days)));
  });
});

test('a schedule follows its cron', async () => {
  const cron = cronOf({ schedule: '0 9 * * *', enabled: true });
  expect(await schedules().isPaused(cron.cron_id)).toBeUndefined();
  await schedules().put(cron);
  expect(await schedules().isPaused(cron.cron_id)).toBe(false);
  const end = new Date(today.getTime() + 2 * DAY);
  await schedules().put({ ...cron, schedule: '0 10 * * *', end_time: end.toISOString(), enabled: false });
  expect(await schedules().isPaused(cron.cron_id)).toBe(true);
  expect(await wakes(cron, today, 10)).toHaveLength(2);
  expect((await wakes(cron, today, 10))[0]).toMatch(/T10:00:00/);
  await schedules().put({ ...cron, enabled: true });
  expect(await wakes(cron, today, 10)).toHaveLength(10);
  await schedules().remove(cron.cron_id);
  await schedules().remove(cron.cron_id);
  expect(await schedules().isPaused(cron.cron_id)).toBeUndefined();
});

test('the list has the deployment’s own schedules and whether they are paused', async () => {
  const crons = [cronOf({ schedule: '0 9 * * *', enabled: true }), cronOf({ schedule: '0 9 * * *' })];
  for (const cron of crons) await schedules().put(cron);
  const ids = crons.map(({ cron_id }) => cron_id);
  const soon = (options: { paused?: boolean }, expected: string[]) =>
    until(`the list is ${expected.join()}`, async () => {
      const found = await schedules().list(options);
      return JSON.stringify(found.sort()) === JSON.stringify(expected.toSorted());
    });
  await soon({}, ids);
  await soon({ paused: true }, ids.slice(1));
});
