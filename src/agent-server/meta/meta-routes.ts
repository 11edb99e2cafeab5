import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { ping } from '../../platform/db/database.ts';
import { openapi, openapiRoute } from '../../platform/http/openapi.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { packageRoot } from '../../platform/package-root.ts';
import { Detail, JsonObject, StringEnum } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';

// The server release whose behavior we match; Studio enables features by it (contract §9).
const COMPATIBLE_VERSION = '0.7.46';
const Ok = Type.Object({ ok: Type.Boolean() });
const NotOk = Type.Object({ ok: Type.Boolean(), detail: Type.String() });
const Checks = Type.Object({
  check_db: Type.Optional(Type.Boolean()),
  // False for liveness probes: restarting this process does not bring its hosts back.
  check_hosts: Type.Boolean({ default: true }),
});
const DATABASE_MS = 5_000;

const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8')) as {
  version: string;
};

/** Health, version, metrics and the API description; none requires credentials. */
export const metaRoutes = (deps: AgentDeps, routes: Route[]): Route[] => {
  const handle = async ({ query, ctx }: { query: Static<typeof Checks>; ctx: { status: number } }) => {
    if (query.check_hosts && !deps.hosts.areReachable) {
      ctx.status = 503;
      return { ok: false, detail: 'The container that runs the graphs cannot be reached' };
    }
    if (!query.check_db) return { ok: true };
    try {
      const late = setTimeout(DATABASE_MS, 'late', { ref: false });
      const answer = await Promise.race([ping(deps.db), late]);
      if (answer === 'late') throw new Error('The database did not answer in time');
      return { ok: true };
    } catch (error) {
      deps.log.warn({ err: error }, 'the database cannot be reached');
      ctx.status = 503;
      return { ok: false, detail: 'The database cannot be reached' };
    }
  };
  const route = { tags: ['System'], method: 'get' } as const;
  const responses = { 200: Ok, 422: Detail, 503: NotOk };
  const health = { ...route, summary: 'Health', query: Checks, responses, handle };
  const meta: Route[] = [
    defineRoute({ ...health, path: '/', operationId: 'root' }),
    defineRoute({ ...health, path: '/ok', operationId: 'ok' }),
    defineRoute({
      ...route,
      path: '/info',
      operationId: 'info',
      summary: 'Version and features',
      responses: { 200: JsonObject },
      handle: () => ({
        version: COMPATIBLE_VERSION,
        slipway_version: version,
        context: 'js',
        flags: { assistants: true, crons: true, langsmith: false, langsmith_tracing_replicas: false },
        host: { kind: 'self-hosted', deployment: deps.config.SLIPWAY_DEPLOYMENT },
      }),
    }),
    defineRoute({
      ...route,
      path: '/metrics',
      operationId: 'metrics',
      summary: 'Queue, run and HTTP statistics',
      query: Type.Object({ format: StringEnum(['prometheus', 'json'], { default: 'prometheus' }) }),
      responses: {
        200: { description: 'Prometheus text, or JSON', content: ['text/plain', 'application/json'] },
        422: Detail,
      },
      async handle({ query: { format }, ctx }) {
        const report = await deps.metrics.report(deps);
        if (format === 'json') return report;
        ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
        ctx.body = await deps.metrics.registry.metrics();
      },
    }),
  ];
  const info = {
    title: 'Slipway agent server',
    version,
    description: 'Assistants, threads, runs and their streams.',
  };
  const document = () => openapi([...routes, ...meta], info, deps.project.config.auth?.openapi);
  return [...meta, openapiRoute(document)];
};
