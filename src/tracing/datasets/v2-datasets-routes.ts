import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { DatasetQuery } from './dataset.ts';
import { listDatasets } from './dataset-repository.ts';
import { readOffset, writeOffset } from '../query/offset-cursor.ts';
import { readMetadata } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { MAX_PER_PAGE } from '../v2/v2-request.ts';
import { Items } from '../v2/v2-runs-routes.ts';

const { sort_by_desc: _order, ...Search } = DatasetQuery.properties;

/** Datasets in version 2 of the API, for generated clients (contract §1.14). */
export const v2DatasetsRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/v2/datasets',
    operationId: 'listDatasetsV2',
    tags: ['Datasets (v2)'],
    summary: 'List datasets',
    query: Type.Object({
      ...Search,
      cursor: Type.Optional(Type.String()),
      exclude: Type.Optional(Type.Array(StringEnum(['example_count']))),
      page_size: Type.Integer({ minimum: 1, default: MAX_PER_PAGE }),
      sort_order: StringEnum(['asc', 'desc'], { default: 'desc' }),
    }),
    responses: { 200: Items },
    handle: async ({ ctx, query: { cursor, exclude = [], page_size, sort_order, ...query } }) => {
      const offset = cursor ? readOffset(cursor) : 0;
      const limit = Math.min(page_size, MAX_PER_PAGE);
      const found = await listDatasets(
        db,
        callerOf(ctx).tenant_id,
        { ...query, metadata: readMetadata(query.metadata), sort_by_desc: sort_order === 'desc' },
        { limit: limit + 1, offset },
      );
      return {
        items: found
          .slice(0, limit)
          .map((dataset) => (exclude.length > 0 ? { ...dataset, example_count: null } : dataset)),
        next_cursor: found.length > limit ? writeOffset(offset + limit) : null,
      };
    },
  }),
];
