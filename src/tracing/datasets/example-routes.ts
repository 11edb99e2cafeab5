import type { Context } from 'koa';
import { type Static, Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { ExampleNotFound } from '../errors.ts';
import { givenTexts, PAGE, readMetadata } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { readAsOf } from './dataset-versions.ts';
import { findExamples } from './example-repository.ts';
import { countExamples, searchExamples } from './example-search.ts';
import { EXAMPLE_FIELDS, viewExample } from './example-view.ts';

const tags = ['Examples'];
const Search = Type.Object({
  dataset: Type.Optional(Uuid),
  id: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
  as_of: Type.Optional(Type.String()),
  splits: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(Type.String()),
  full_text_contains: Type.Optional(Type.Array(Type.String())),
  filter: Type.Optional(Type.String({ maxLength: 65_536 })),
  order: Type.Optional(StringEnum(['recent', 'random', 'recently_created', 'id'])),
  random_seed: Type.Optional(Type.Number()),
  descending: Type.Optional(Type.Boolean()),
});
const List = Type.Object({
  ...PAGE,
  ...Search.properties,
  inline_s3_urls: Type.Optional(Type.Boolean()),
  select: Type.Optional(Type.Array(StringEnum(EXAMPLE_FIELDS))),
});
type Search = Static<typeof Search>;

/** Reads examples, now or as of a version (contract §1.13). */
export const exampleRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  const searchOf = async (ctx: Context, query: Search) => {
    if (!query.dataset && !query.id) throw new InvalidRequest('One of dataset and id is required');
    return {
      ...query,
      splits: givenTexts(ctx, 'splits'),
      full_text_contains: givenTexts(ctx, 'full_text_contains'),
      metadata: readMetadata(query.metadata),
      as_of: await readAsOf(db, callerOf(ctx).tenant_id, query.dataset, query.as_of),
    };
  };
  return [
    defineRoute({
      method: 'get',
      path: '/examples',
      operationId: 'listExamples',
      tags,
      summary: 'List examples of a dataset',
      query: List,
      responses: { 200: Type.Array(JsonObject), 422: Detail },
      handle: async ({ ctx, query }) => {
        const { tenant_id } = callerOf(ctx);
        const rows = await searchExamples(db, tenant_id, await searchOf(ctx, query), query);
        const how = { tenantId: tenant_id, link: blobLinks(deps, ctx), select: query.select };
        return rows.map((row) => viewExample(row, how));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/examples/count',
      operationId: 'countExamples',
      tags,
      summary: 'Count examples of a dataset',
      query: Search,
      responses: { 200: Type.Integer(), 422: Detail },
      handle: async ({ ctx, query }) =>
        countExamples(db, callerOf(ctx).tenant_id, await searchOf(ctx, query)),
    }),
    defineRoute({
      method: 'get',
      path: '/examples/{example_id}',
      operationId: 'readExample',
      tags,
      summary: 'Read an example',
      params: Type.Object({ example_id: Uuid }),
      query: Type.Object({ as_of: Type.Optional(Type.String()), dataset: Type.Optional(Uuid) }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { example_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        const asOf = await readAsOf(db, tenant_id, query.dataset, query.as_of);
        const [row] = await findExamples(db, tenant_id, [example_id], asOf);
        if (!row || (query.dataset && row.dataset_id !== query.dataset))
          throw new ExampleNotFound(example_id);
        return viewExample(row, {
          tenantId: tenant_id,
          link: blobLinks(deps, ctx),
          select: [...EXAMPLE_FIELDS],
        });
      },
    }),
  ];
};
