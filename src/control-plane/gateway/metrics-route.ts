import type { Registry } from 'prom-client';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { principalOf, requireRole } from '../access/principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { ownRevisions } from '../revisions/revision-repository.ts';
import { Refusals } from '../wire.ts';

const REVISION = /\brevision_id="([^"]+)"/;

/** What this process's gateway has counted of the revisions of one workspace. */
export const metricsRoute = ({ db }: Pick<ControlPlaneDeps, 'db'>, registry: Registry): Route =>
  defineRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    tags: ['System'],
    summary: 'What this process has counted of your revisions, as Prometheus reads it; for admins',
    responses: { 200: { description: 'Metrics', content: 'text/plain' }, ...Refusals },
    async handle({ ctx }) {
      const principal = principalOf(ctx);
      requireRole(principal, 'admin');
      const lines = (await registry.metrics())
        .split('\n')
        .map((line) => ({ line, revision: REVISION.exec(line)?.[1] }));
      const named = new Set(lines.map(({ revision }) => revision).filter((id) => id !== undefined));
      const own = new Set(await ownRevisions(db, principal.tenant_id, [...named]));
      ctx.type = registry.contentType;
      // What is of no revision is of all workspaces.
      const isTold = ({ line, revision }: (typeof lines)[number]) =>
        revision ? own.has(revision) : line.startsWith('#') || line === '';
      ctx.body = lines
        .filter(isTold)
        .map(({ line }) => line)
        .join('\n');
    },
  });
