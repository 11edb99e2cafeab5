import type { Registry } from 'prom-client';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { principalOf, requireRole } from '../access/principal.ts';
import { Refusals } from '../wire.ts';

/** What this process's gateway has counted, of all workspaces: for whoever runs the platform. */
export const metricsRoute = (registry: Registry): Route =>
  defineRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    tags: ['System'],
    summary: 'Metrics of this process, as Prometheus reads them; for admins',
    responses: { 200: { description: 'Metrics', content: 'text/plain' }, ...Refusals },
    async handle({ ctx }) {
      requireRole(principalOf(ctx), 'admin');
      ctx.type = registry.contentType;
      ctx.body = await registry.metrics();
    },
  });
