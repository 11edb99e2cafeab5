import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, StringEnum } from '../../platform/schema.ts';
import type { RateLimit } from './rate-limit.ts';

const RowUse = Type.Object({
  /** As headers, refusals and SLIPWAY_RATE_LIMIT_OVERRIDES name it. */
  id: Type.String(),
  category: Type.String(),
  identity: StringEnum(['key', 'user', 'ip']),
  /** Requests in so many seconds. */
  count: Type.Integer(),
  interval: Type.Integer(),
  remaining: Type.Integer(),
  /** Seconds until it is counted anew; null while nothing is counted. */
  reset: Type.Union([Type.Integer(), Type.Null()]),
});

/** How much of its limits the caller has used: what the headers of each answer say of one row, of all of them. */
export const rateLimitRoute = (limits: Pick<RateLimit, 'use'>): Route =>
  defineRoute({
    method: 'get',
    path: '/platform/rate-limits',
    operationId: 'listRateLimits',
    tags: ['System'],
    summary: 'Every rate limit, and what the caller has left of it',
    responses: { 200: Type.Array(RowUse), 401: Detail },
    handle: ({ ctx }) => limits.use(ctx),
  });
