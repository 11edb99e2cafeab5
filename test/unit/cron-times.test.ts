import { describe, expect, test } from '@jest/globals';
import { nextDate, readDate } from '../../src/agent-server/crons/cron-dates.ts';
import { jumpedTimes } from '../../src/agent-server/schedules/cron-jumps.ts';
import { checkSpec, isTime, nextTime, wakesOf } from '../../src/agent-server/schedules/cron-times.ts';

/** The times of a cron within a period. */
function times(schedule: string, timezone: string | null, from: string, to: string): string[] {
  const found: string[] = [];
  for (let at = new Date(from); ;) {
    const next = nextTime({ schedule, timezone }, at);
    if (!next || next > new Date(to)) return found;
    found.push(next.toISOString().slice(0, 16));
    at = next;
  }
}

describe('times', () => {
  test('are in UTC by default', () => {
    expect(times('0 9 * * MON', null, '2026-11-20T00:00Z', '2026-12-01T00:00Z')).toEqual([
      '2026-11-23T09:00',
      '2026-11-30T09:00',
    ]);
  });

  test('follow their time zone', () => {
    expect(times('0 9 * * *', 'America/New_York', '2026-10-31T00:00Z', '2026-11-02T23:00Z')).toEqual([
      '2026-10-31T13:00',
      '2026-11-01T14:00',
      '2026-11-02T14:00',
    ]);
  });

  test('skipped by daylight saving fire after the change', () => {
    expect(times('30 2 * * *', 'America/New_York', '2026-03-07T00:00Z', '2026-03-10T00:00Z')).toEqual([
      '2026-03-07T07:30',
      '2026-03-08T07:00',
      '2026-03-09T06:30',
    ]);
    expect(times('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T00:00Z', '2018-11-06T00:00Z')).toEqual([
      '2018-11-03T03:00',
      '2018-11-04T03:00',
      '2018-11-05T02:00',
    ]);
  });

  test('repeated by daylight saving fire once; hourly ones fire every hour', () => {
    expect(times('30 1 * * *', 'America/New_York', '2026-10-31T06:00Z', '2026-11-03T00:00Z')).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ]);
    expect(times('30 * * * *', 'America/New_York', '2026-11-01T04:00Z', '2026-11-01T08:00Z')).toHaveLength(4);
    expect(
      isTime({ schedule: '30 1 * * *', timezone: 'America/New_York' }, new Date('2026-11-01T06:30Z')),
    ).toBe(true);
  });

  test('with both day of month and day of week fire on either', () => {
    expect(times('0 0 1 * TUE', null, '2026-11-24T01:00Z', '2026-12-08T01:00Z')).toEqual([
      '2026-12-01T00:00',
      '2026-12-08T00:00',
    ]);
    expect(wakesOf({ schedule: '0 0 1 * TUE', timezone: null })).toEqual(['0 0 1 * *', '0 0 * * TUE']);
  });

  test("stop at the cron's end", () => {
    const cron = { schedule: '0 0 * * *', timezone: null };
    const after = new Date('2026-11-21T00:00Z');
    expect(nextDate({ ...cron, end_time: '2026-11-22T00:00:00.000Z' }, after)).toBe(
      '2026-11-22T00:00:00.000Z',
    );
    expect(nextDate({ ...cron, end_time: '2026-11-21T23:59:59.000Z' }, after)).toBeNull();
  });
});

test('lists times that Temporal would skip, three years ahead', () => {
  const spec = { schedule: '30 2 * * *', timezone: 'America/New_York' };
  const wake = { month: 3, hour: 3, minute: 0 };
  expect(jumpedTimes(spec, new Date('2026-11-21T00:00Z'))).toEqual([
    { ...wake, year: 2027, day: 14 },
    { ...wake, year: 2028, day: 12 },
    { ...wake, year: 2029, day: 11 },
  ]);
  expect(jumpedTimes({ ...spec, schedule: '30 4 * * *' }, new Date())).toEqual([]);
  expect(jumpedTimes({ ...spec, schedule: '30 * * * *' }, new Date())).toEqual([]);
  expect(jumpedTimes({ ...spec, timezone: null }, new Date())).toEqual([]);
});

test.each(['* * * * *', '*/5 0-6,22 1,15 jan-mar Mon-FRI', '0 0 * * 7', '0 0 29 2 *', ' 5  4 * *  sun '])(
  'a schedule of %p is taken',
  (schedule) => {
    expect(() => checkSpec({ schedule, timezone: 'Europe/Berlin' })).not.toThrow();
  },
);

test.each([
  '',
  'daily',
  '@daily',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '* * * * MOO',
  '0 0 L * *',
  '0 0 * * 5#2',
  '0 0 ? * *',
  '*/0 * * * *',
  '5-1 * * * *',
  '0 0 30 2 *',
  'MON * * * *',
])('a schedule of %p is refused', (schedule) => {
  expect(() => checkSpec({ schedule, timezone: null })).toThrow(/^Invalid cron schedule/);
});

test.each(['Mars/Olympus', '', 'EST7', '+02:00', 'Europe/Berlin '])('a zone of %p is refused', (timezone) => {
  expect(() => checkSpec({ schedule: '* * * * *', timezone })).toThrow(/^Invalid timezone/);
});

test.each([
  ['2027-01-02T03:04:05Z', '2027-01-02T03:04:05.000Z'],
  ['2027-01-02T03:04:05.678901+02:00', '2027-01-02T01:04:05.678Z'],
  ['2027-01-02T03:04:05', '2027-01-02T03:04:05.000Z'],
  ['2027-01-02 03:04', '2027-01-02T03:04:00.000Z'],
  ['2027-01-02', '2027-01-02T00:00:00.000Z'],
])('an end of %p is %p', (text, expected) => {
  expect(readDate(text, 'end_time')).toBe(expected);
});

test.each(['tomorrow', '12', '2027-13-01', '2027-01-02T25:00:00Z'])('an end of %p is refused', (text) => {
  expect(() => readDate(text, 'end_time')).toThrow('body.end_time');
});
