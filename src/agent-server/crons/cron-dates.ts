import { InvalidRequest } from '../../platform/errors.ts';
import type { Cron } from '../records/cron.ts';
import { nextTime } from '../schedules/cron-times.ts';

/** The cron's first time after a moment; null if the cron ends before it. */
export function nextDate(cron: Pick<Cron, 'schedule' | 'timezone' | 'end_time'>, after: Date): string | null {
  const next = nextTime(cron, after);
  return next && (cron.end_time === null || next <= new Date(cron.end_time)) ? next.toISOString() : null;
}

const ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** Parses a client's date; without an offset it is UTC. Throws InvalidRequest. */
export function readDate(text: string, name: string): string {
  const [, time, , , offset] = ISO.exec(text) ?? [];
  const date = new Date(time !== undefined && offset === undefined ? `${text.replace(' ', 'T')}Z` : text);
  if (!ISO.test(text) || Number.isNaN(date.getTime()))
    throw new InvalidRequest(`body.${name} must be an ISO 8601 date and time`);
  return date.toISOString();
}
