import { Type } from 'typebox';
import { defineRoute, type Route } from '../platform/http/route.ts';

/** Health check below the endpoints that clients are configured with, `/api` and `/api/v1`. */
export const healthRoute: Route = defineRoute({
  method: 'get',
  path: '/ok',
  operationId: 'getHealth',
  tags: ['System'],
  summary: 'Health check',
  responses: { 200: Type.Object({ ok: Type.Boolean() }) },
  handle: () => ({ ok: true }),
});
