import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { readCursor, writeCursor } from '../query/page-cursor.ts';
import { type PageDeps, readPage } from '../query/read-page.ts';
import { conditionOf, timeOf } from '../query/run-query-body.ts';
import { RawJson, runJson, type RunView } from '../query/run-view.ts';
import { MAX_PER_PAGE, needJson, windowOf } from './v2-request.ts';
import { v2Run } from './v2-run.ts';
import { Items, tags } from './v2-runs-routes.ts';
import { neededFor, type Select, SelectName } from './v2-select.ts';

const optional = Type.Optional;
const AGGREGATES: readonly Select[] = ['TOTAL_TOKENS', 'TOTAL_COST', 'FIRST_TOKEN_TIME'];

/** Traces in version 2 of the API (contract §1.14). */
export const v2TracesRoutes = (deps: PageDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/v2/traces/query',
    operationId: 'queryTracesV2',
    tags,
    summary: 'List traces of a project whose roots match a filter',
    body: Type.Object({
      project_id: Uuid,
      trace_ids: optional(Type.Array(Uuid)),
      trace_filter: optional(Type.String()),
      tree_filter: optional(Type.String()),
      min_start_time: optional(Type.String()),
      max_start_time: optional(Type.String()),
      selects: optional(Type.Array(SelectName)),
      page_size: optional(Type.Integer({ minimum: 1 })),
      cursor: optional(Type.String()),
    }),
    responses: { 200: Items, 406: Detail },
    handle: async ({ ctx, body }) => {
      needJson(ctx);
      const selects = body.selects ?? [];
      const text = new JsonText('{"items":[');
      const next = await readPage(
        deps,
        {
          tenant_id: callerOf(ctx).tenant_id,
          projects: [body.project_id],
          traces: body.trace_ids,
          is_root: true,
          ...windowOf(body),
          trace_filter: conditionOf(body.trace_filter),
          tree_filter: conditionOf(body.tree_filter),
        },
        {
          order: 'desc',
          after: body.cursor ? readCursor(body.cursor) : undefined,
          limit: Math.min(body.page_size ?? MAX_PER_PAGE, MAX_PER_PAGE),
        },
        neededFor(selects),
        (view) => text.addItem(traceJson(view, selects)),
      );
      return text.add(`],"next_cursor":${next ? JSON.stringify(writeCursor(next)) : 'null'}}`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v2/traces/{trace_id}/runs',
    operationId: 'listTraceRunsV2',
    tags,
    summary: 'List runs of a trace by start time; paginated by next_cursor',
    params: Type.Object({ trace_id: Uuid }),
    query: Type.Object({
      project_id: Uuid,
      filter: optional(Type.String()),
      min_start_time: optional(Type.String()),
      max_start_time: optional(Type.String()),
      selects: optional(Type.Array(SelectName)),
      page_size: optional(Type.Integer({ minimum: 1 })),
      cursor: optional(Type.String()),
    }),
    responses: { 200: Items, 406: Detail },
    handle: async ({ ctx, params: { trace_id }, query }) => {
      needJson(ctx);
      const selects = query.selects ?? [];
      const text = new JsonText('{"items":[');
      const most = deps.config.SLIPWAY_TRACE_OPEN_RUNS;
      const next = await readPage(
        deps,
        {
          tenant_id: callerOf(ctx).tenant_id,
          projects: [query.project_id],
          traces: [trace_id],
          filter: conditionOf(query.filter),
          from: timeOf(query.min_start_time, 'min_start_time'),
          until: timeOf(query.max_start_time, 'max_start_time'),
        },
        {
          order: 'asc',
          after: query.cursor ? readCursor(query.cursor) : undefined,
          limit: Math.min(query.page_size ?? most, most),
        },
        neededFor(selects),
        (view) => text.addItem(runJson(v2Run(view, selects))),
      );
      return text.add(`],"next_cursor":${next ? JSON.stringify(writeCursor(next)) : 'null'}}`);
    },
  }),
];

/** Adds trace totals to the root. */
function traceJson(view: RunView, selects: readonly Select[]): string {
  const root = runJson(
    v2Run(
      view,
      selects.filter((select) => !AGGREGATES.includes(select)),
    ),
  );
  const aggregates = selects.filter((select) => AGGREGATES.includes(select));
  const { id: _id, ...values } = v2Run(view, aggregates);
  return runJson({
    root_run: new RawJson(root),
    ...(aggregates.length > 0 && { trace_aggregates: values }),
  });
}
