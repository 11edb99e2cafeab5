import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { unmarkNumbers } from '../json/lossless-numbers.ts';
import { callerOf } from '../caller.ts';
import { PAGE } from '../request/query-lists.ts';
import { viewFew } from '../query/read-page.ts';
import { RawJson, runJson, viewRuns } from '../query/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { MAX_PER_PAGE, needJson } from '../v2/v2-request.ts';
import { v2Run } from '../v2/v2-run.ts';
import { Items } from '../v2/v2-runs-routes.ts';
import { neededFor, SelectName } from '../v2/v2-select.ts';
import { EXAMPLE_FIELDS, viewExample } from './example-view.ts';
import { readExperiments } from './experiment-runs.ts';
import { readOffset, writeOffset } from '../query/offset-cursor.ts';

const tags = ['Datasets'];
const params = Type.Object({ dataset_id: Uuid });
const Ids = Type.Array(Uuid, { maxItems: 1_000 });
const Filters = Type.Record(
  Type.String(),
  Type.Array(Type.String({ maxLength: 65_536 }), { maxItems: 100 }),
  { maxProperties: 100 },
);

/** Compares experiments on a dataset example by example (contract §1.13, §1.14). */
export const experimentRoutes = (deps: TracingDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/datasets/{dataset_id}/runs',
    operationId: 'readExperimentRuns',
    tags,
    summary: 'List examples with their runs in these experiments',
    params,
    body: Type.Object({
      session_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
      example_ids: Type.Optional(Ids),
      comparative_experiment_id: Type.Optional(Uuid),
      filters: Type.Optional(Filters),
      sort_params: Type.Optional(
        Type.Object({ sort_by: Type.String(), sort_order: Type.Optional(Type.String()) }),
      ),
      preview: Type.Boolean({ default: false }),
      ...PAGE,
    }),
    responses: { 200: Type.Array(JsonObject), 404: Detail },
    handle: async ({ ctx, params: { dataset_id }, body }) => {
      const { tenant_id } = callerOf(ctx);
      const { examples, runs } = await readExperiments(deps, tenant_id, {
        dataset: dataset_id,
        experiments: body.session_ids,
        comparison: body.comparative_experiment_id,
        examples: body.example_ids,
        filters: body.filters,
        sort: sortOf(body.sort_params?.sort_by, body.sort_params?.sort_order),
        limit: body.limit,
        offset: body.offset,
      });
      const link = blobLinks(deps, ctx);
      const views = await viewRuns(deps.db, tenant_id, runs, {
        ...(body.preview && { bodies: [] }),
        link,
        raw: true,
      });
      const how = { tenantId: tenant_id, link, select: [...EXAMPLE_FIELDS] };
      const shown = examples.map((example) => {
        const made = views.filter((run) => run['reference_example_id'] === example.id);
        return runJson({ ...viewExample(example, how), runs: new RawJson(`[${made.map(runJson).join()}]`) });
      });
      return new JsonText(unmarkNumbers(`[${shown.join()}]`));
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/v2/datasets/{dataset_id}/experiment-runs',
    operationId: 'queryExperimentRunsV2',
    tags,
    summary: 'List examples with selected fields of their runs in these experiments',
    params,
    body: Type.Object({
      experiment_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
      example_ids: Type.Optional(Ids),
      comparative_experiment_id: Type.Optional(Uuid),
      filters: Type.Optional(Filters),
      sort: Type.Optional(
        Type.Object({ by: Type.Optional(Type.String()), order: Type.Optional(Type.String()) }),
      ),
      selects: Type.Array(SelectName, { default: [] }),
      page_size: Type.Integer({ minimum: 1, default: MAX_PER_PAGE }),
      cursor: Type.Optional(Type.String()),
    }),
    responses: { 200: Items, 404: Detail, 406: Detail },
    handle: async ({ ctx, params: { dataset_id }, body }) => {
      needJson(ctx);
      const { tenant_id } = callerOf(ctx);
      const limit = Math.min(body.page_size, MAX_PER_PAGE);
      const offset = body.cursor ? readOffset(body.cursor) : 0;
      const { examples, runs } = await readExperiments(deps, tenant_id, {
        dataset: dataset_id,
        experiments: body.experiment_ids,
        comparison: body.comparative_experiment_id,
        examples: body.example_ids,
        filters: body.filters,
        sort: sortOf(body.sort?.by, body.sort?.order),
        limit: limit + 1,
        offset,
      });
      const link = blobLinks(deps, ctx);
      const views = await viewFew(deps, tenant_id, runs, { ...neededFor(body.selects), link });
      const how = { tenantId: tenant_id, link, select: [...EXAMPLE_FIELDS] };
      const items = examples.slice(0, limit).map((example) => {
        const made = views.filter((_view, at) => runs[at]!.reference_example_id === example.id);
        const text = `[${made.map((view) => runJson(v2Run(view, body.selects))).join()}]`;
        return runJson({ ...viewExample(example, how), runs: new RawJson(text) });
      });
      const next = examples.length > limit ? JSON.stringify(writeOffset(offset + limit)) : 'null';
      return new JsonText(unmarkNumbers(`{"items":[${items.join()}],"next_cursor":${next}}`));
    },
  }),
];

const sortOf = (by: string | undefined, order: string | undefined) =>
  by === undefined ? undefined : ({ by, order: order?.toLowerCase() === 'asc' ? 'asc' : 'desc' } as const);
