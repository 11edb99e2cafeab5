import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { JsonText } from '../../platform/http/route-handler.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { RunNotFound } from '../errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';
import { withChildIds } from '../query/child-ids.ts';
import { findRun } from './run-repository.ts';
import { runJson, viewRuns } from './run-view.ts';

export const runRoutes = (deps: TracingDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/runs/{run_id}',
    operationId: 'readRun',
    tags: ['Runs'],
    summary: 'A run, whole',
    params: Type.Object({ run_id: Uuid }),
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, params: { run_id } }) => {
      const { db } = deps;
      const { tenant_id } = callerOf(ctx);
      const row = await findRun(db, tenant_id, run_id);
      if (!row) throw new RunNotFound(run_id);
      const counted = await withTraceTotals(db, tenant_id, [row]);
      const views = await viewRuns(db, tenant_id, counted, {
        raw: true,
        tiers: true,
        link: blobLinks(deps, ctx),
      });
      const [run] = await withChildIds(db, tenant_id, views);
      return new JsonText(runJson(run!));
    },
  }),
];
