import type { Context } from 'koa';
import { defineError } from '../../platform/errors.ts';
import { timeOf } from '../query/run-query-body.ts';

export const MAX_PER_PAGE = 100;
const DAY_MS = 86_400_000;

const NotAcceptable = defineError(
  'NotAcceptable',
  406,
  () => 'Only JSON responses are available; event streams are not',
);

/** Answers 406 to event-stream requests; clients then fall back to JSON (contract §1.14). */
export function needJson(ctx: Context): void {
  if (!ctx.accepts('application/json')) throw new NotAcceptable();
}

/** Defaults to the last day. Throws InvalidRequest. */
export function windowOf(
  {
    min_start_time,
    max_start_time,
  }: { min_start_time?: string | undefined; max_start_time?: string | undefined },
  { whole = false } = {},
): { from: string | undefined; until: string | undefined } {
  const from = timeOf(min_start_time, 'min_start_time');
  return {
    from: from ?? (whole ? undefined : new Date(Date.now() - DAY_MS).toISOString()),
    until: timeOf(max_start_time, 'max_start_time'),
  };
}
