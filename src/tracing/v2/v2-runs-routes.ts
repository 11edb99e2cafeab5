import type { Context } from 'koa';
import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { publicAddress } from '../../platform/http/public-address.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import { blobLinks, type LinkDeps } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { RunNotFound } from '../errors.ts';
import { readCursor, writeCursor } from '../query/page-cursor.ts';
import { listExperimentIds } from '../projects/project-repository.ts';
import { type PageDeps, readPage, viewFew } from '../query/read-page.ts';
import { conditionOf } from '../query/run-query-body.ts';
import { findRun } from '../runs/run-repository.ts';
import { appPath, runJson } from '../query/run-view.ts';
import { MAX_PER_PAGE, needJson, windowOf } from './v2-request.ts';
import { v2Run } from './v2-run.ts';
import { neededFor, SelectName } from './v2-select.ts';

const optional = Type.Optional;
export const Items = Type.Object({
  items: Type.Array(JsonObject),
  next_cursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
export const tags = ['Runs (v2)'];

const RunsQuery = Type.Object({
  project_ids: optional(Type.Array(Uuid)),
  reference_dataset_id: optional(Uuid),
  ids: optional(Type.Array(Uuid)),
  reference_examples: optional(Type.Array(Uuid)),
  is_root: optional(Type.Boolean()),
  has_error: optional(Type.Boolean()),
  run_type: optional(StringEnum(['TOOL', 'CHAIN', 'LLM', 'RETRIEVER', 'EMBEDDING', 'PROMPT', 'PARSER'])),
  filter: optional(Type.String()),
  trace_filter: optional(Type.String()),
  tree_filter: optional(Type.String()),
  trace_id: optional(Uuid),
  min_start_time: optional(Type.String()),
  max_start_time: optional(Type.String()),
  selects: optional(Type.Array(SelectName)),
  page_size: optional(Type.Integer({ minimum: 1 })),
  cursor: optional(Type.String()),
});

/** Runs in version 2 of the API (contract §1.14). */
export const v2RunsRoutes = (deps: PageDeps & LinkDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/v2/runs/query',
    operationId: 'queryRunsV2',
    tags,
    summary: 'List runs of projects that match a filter',
    body: RunsQuery,
    responses: { 200: Items, 406: Detail },
    handle: async ({ ctx, body }) => {
      needJson(ctx);
      const { tenant_id } = callerOf(ctx);
      if ((body.project_ids === undefined) === (body.reference_dataset_id === undefined))
        throw new InvalidRequest('One of body.project_ids and body.reference_dataset_id is required');
      const selects = body.selects ?? [];
      const text = new JsonText('{"items":[');
      const next = await readPage(
        deps,
        {
          tenant_id,
          ids: body.ids,
          projects:
            body.project_ids ?? (await listExperimentIds(deps.db, tenant_id, body.reference_dataset_id!)),
          traces: body.trace_id === undefined ? undefined : [body.trace_id],
          examples: body.reference_examples,
          is_root: body.is_root,
          has_error: body.has_error,
          run_type: body.run_type?.toLowerCase(),
          ...windowOf(body, { whole: body.reference_dataset_id !== undefined }),
          filter: conditionOf(body.filter),
          trace_filter: conditionOf(body.trace_filter),
          tree_filter: conditionOf(body.tree_filter),
        },
        {
          order: 'desc',
          after: body.cursor ? readCursor(body.cursor) : undefined,
          limit: Math.min(body.page_size ?? MAX_PER_PAGE, MAX_PER_PAGE),
        },
        { ...neededFor(selects), link: linksFor(deps, ctx, selects) },
        (view) => text.addItem(runJson(v2Run(view, selects))),
      );
      return text.add(`],"next_cursor":${next ? JSON.stringify(writeCursor(next)) : 'null'}}`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v2/runs/{run_id}',
    operationId: 'readRunV2',
    tags,
    summary: 'Read a run',
    params: Type.Object({ run_id: Uuid }),
    query: Type.Object({ project_id: optional(Uuid), selects: optional(Type.Array(SelectName)) }),
    responses: { 200: JsonObject, 404: Detail, 406: Detail },
    handle: async ({ ctx, params: { run_id }, query: { project_id, selects = [] } }) => {
      needJson(ctx);
      const { tenant_id } = callerOf(ctx);
      const row = await findRun(deps.db, tenant_id, run_id);
      if (!row || (project_id && row.project_id !== project_id)) throw new RunNotFound(run_id);
      const [view] = await viewFew(deps, tenant_id, [row], {
        ...neededFor(selects),
        link: linksFor(deps, ctx, selects),
      });
      return new JsonText(runJson(v2Run(view!, selects)));
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v2/runs/{run_id}/url',
    operationId: 'readRunUrl',
    tags,
    summary: 'Read the console URL of a run',
    params: Type.Object({ run_id: Uuid }),
    responses: { 200: Type.Object({ url: Type.String() }), 404: Detail, 406: Detail },
    handle: async ({ ctx, params: { run_id } }) => {
      needJson(ctx);
      const row = await findRun(deps.db, callerOf(ctx).tenant_id, run_id);
      if (!row) throw new RunNotFound(run_id);
      const { protocol, host, prefix } = publicAddress(ctx);
      return { url: `${protocol}://${host}${prefix}${appPath(row)}` };
    },
  }),
];

const linksFor = (deps: LinkDeps, ctx: Context, selects: readonly string[]) =>
  selects.includes('ATTACHMENTS') ? blobLinks(deps, ctx) : undefined;
