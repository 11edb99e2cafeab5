/** A moment within a day that is special in the calendar, in the time zone `zone`. */
export interface Day {
  name: string;
  time: string;
  zone?: string;
}

const BERLIN = 'Europe/Berlin';

export const DAYS: Day[] = [
  { name: 'a Monday', time: '2027-05-03T12:00:00Z' },
  { name: 'a Tuesday', time: '2027-05-04T12:00:00Z' },
  { name: 'a Wednesday', time: '2027-05-05T12:00:00Z' },
  { name: 'a Thursday', time: '2027-05-06T12:00:00Z' },
  { name: 'a Friday', time: '2027-05-07T12:00:00Z' },
  { name: 'a Saturday', time: '2027-05-08T12:00:00Z' },
  { name: 'a Sunday', time: '2027-05-09T12:00:00Z' },
  { name: 'the last day of a month', time: '2027-04-30T22:00:00Z' },
  { name: 'the first day of a month', time: '2027-06-01T00:10:00Z' },
  { name: 'the last day of a year', time: '2027-12-31T22:00:00Z' },
  { name: 'the first day of a year', time: '2028-01-01T00:10:00Z' },
  { name: 'the 29th of February', time: '2028-02-29T12:00:00Z' },
  { name: 'the day summer time begins', time: '2027-03-28T01:30:00Z', zone: BERLIN },
  { name: 'the day summer time ends', time: '2027-10-31T01:30:00Z', zone: BERLIN },
];
