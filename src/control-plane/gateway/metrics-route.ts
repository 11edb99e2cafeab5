import type { Registry } from 'prom-client';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { wideIdentification } from '../access/authenticate.ts';
import { requireRole } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { tenantsOfRevisions } from '../records/revision-repository.ts';
import { Refusals } from '../wire.ts';

const REVISION = /\brevision_id="([^"]+)"/;

/** Counters of this process's gateway for one workspace; platform keys get all, labelled with `tenant_id`. */
export function metricsRoute(deps: Pick<ControlPlaneDeps, 'db' | 'config'>, registry: Registry): Route {
  const identify = wideIdentification(deps);
  return defineRoute({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    tags: ['System'],
    summary: 'Get the counters of this process for your revisions, in Prometheus format (admins only)',
    responses: { 200: { description: 'Metrics', content: 'text/plain' }, ...Refusals },
    async handle({ ctx }) {
      const asker = await identify(ctx);
      requireRole(asker, 'admin');
      const lines = (await registry.metrics())
        .split('\n')
        .map((line) => ({ line, revision: REVISION.exec(line)?.[1] }));
      const named = new Set(lines.map(({ revision }) => revision).filter((id) => id !== undefined));
      const tenants = await tenantsOfRevisions(deps.db, asker.tenant_id, [...named]);
      ctx.type = registry.contentType;
      ctx.body = lines
        .flatMap(({ line, revision }) => {
          // Metrics without a revision cover all workspaces.
          if (!revision) return line.startsWith('#') || line === '' || asker.tenant_id === null ? line : [];
          const tenant = tenants.get(revision);
          if (!tenant) return [];
          return asker.tenant_id === null ? line.replace('{', `{tenant_id="${tenant}",`) : line;
        })
        .join('\n');
    },
  });
}
