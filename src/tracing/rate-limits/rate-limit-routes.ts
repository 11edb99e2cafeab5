import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, StringEnum } from '../../platform/schema.ts';
import type { RateLimit } from './rate-limit.ts';

const RowUse = Type.Object({
  /** As in headers, error messages and SLIPWAY_RATE_LIMIT_OVERRIDES. */
  id: Type.String(),
  category: Type.String(),
  identity: StringEnum(['key', 'user', 'ip']),
  /** Requests per `interval` seconds. */
  count: Type.Integer(),
  interval: Type.Integer(),
  remaining: Type.Integer(),
  /** Seconds until the window resets; null if nothing is counted. */
  reset: Type.Union([Type.Integer(), Type.Null()]),
});

/** The caller's use of all limits; response headers report only one. */
export const rateLimitRoute = (limits: Pick<RateLimit, 'use'>): Route =>
  defineRoute({
    method: 'get',
    path: '/platform/rate-limits',
    operationId: 'listRateLimits',
    tags: ['System'],
    summary: "List rate limits and the caller's remaining requests",
    responses: { 200: Type.Array(RowUse), 401: Detail },
    handle: ({ ctx }) => limits.use(ctx),
  });
