import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { RunNotFound } from '../errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';
import { findRun } from '../runs/run-repository.ts';
import { runJson, viewRuns } from './run-view.ts';

export const runRoutes = (deps: TracingDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/runs/{run_id}',
    operationId: 'readRun',
    tags: ['Runs'],
    summary: 'Read a run',
    params: Type.Object({ run_id: Uuid }),
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, params: { run_id } }) => {
      const { db } = deps;
      const { tenant_id } = callerOf(ctx);
      const row = await findRun(db, tenant_id, run_id);
      if (!row) throw new RunNotFound(run_id);
      const counted = await withTraceTotals(db, tenant_id, [row]);
      const link = blobLinks(deps, ctx);
      const [run] = await viewRuns(db, tenant_id, counted, { raw: true, tiers: true, childIds: true, link });
      return new JsonText(runJson(run!));
    },
  }),
];
