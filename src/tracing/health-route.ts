import { Type } from 'typebox';
import { defineRoute, type Route } from '../platform/http/route.ts';

/** The health check below the addresses that clients are given as their endpoint, `/api` and `/api/v1`. */
export const healthRoute: Route = defineRoute({
  method: 'get',
  path: '/ok',
  operationId: 'getHealth',
  tags: ['System'],
  summary: 'Whether the platform answers',
  responses: { 200: Type.Object({ ok: Type.Boolean() }) },
  handle: () => ({ ok: true }),
});
