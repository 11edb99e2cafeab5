import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { existingDataset } from './dataset-repository.ts';
import { readAsOf } from './dataset-versions.ts';
import { findIndexTag, setIndexTag } from './index-tag.ts';
import { similarExamples } from './similar-examples.ts';

const tags = ['Datasets'];
const one = { path: '/datasets/{dataset_id}/index', tags, params: Type.Object({ dataset_id: Uuid }) };
const Index = Type.Object({ dataset_id: Uuid, tag: Type.String() });

/** Similar-example search by shared words (contract §1.13). No index is built, so results are always current. */
export const datasetSearchRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    defineRoute({
      ...one,
      method: 'post',
      operationId: 'indexDataset',
      summary: 'Set the version that similarity searches use',
      body: Type.Object({ tag: Type.String({ minLength: 1, maxLength: 500, default: 'latest' }) }),
      responses: { 200: Index, 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, body: { tag } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingDataset(db, tenant_id, dataset_id);
        await readAsOf(db, tenant_id, dataset_id, tag);
        await setIndexTag(db, tenant_id, dataset_id, tag);
        return { dataset_id, tag };
      },
    }),
    defineRoute({
      ...one,
      method: 'get',
      operationId: 'readDatasetIndex',
      summary: 'Read the version that similarity searches use',
      responses: { 200: Index, 404: Detail },
      handle: async ({ ctx, params: { dataset_id } }) => ({
        dataset_id,
        tag: await findIndexTag(db, callerOf(ctx).tenant_id, dataset_id),
      }),
    }),
    defineRoute({
      ...one,
      method: 'delete',
      operationId: 'deleteDatasetIndex',
      summary: 'Reset similarity searches to the newest version',
      responses: { 200: Index, 404: Detail },
      handle: async ({ ctx, params: { dataset_id } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingDataset(db, tenant_id, dataset_id);
        await setIndexTag(db, tenant_id, dataset_id, undefined);
        return { dataset_id, tag: 'latest' };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/datasets/{dataset_id}/search',
      operationId: 'searchDataset',
      tags,
      summary: 'Search examples with similar inputs, most similar first',
      params: one.params,
      body: Type.Object({
        inputs: JsonObject,
        limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
        filter: Type.Optional(Type.String({ maxLength: 65_536 })),
      }),
      responses: { 200: Type.Object({ examples: Type.Array(JsonObject) }), 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, body: { filter, ...like } }) => {
        const { tenant_id } = callerOf(ctx);
        const tag = await findIndexTag(db, tenant_id, dataset_id);
        const as_of = await readAsOf(db, tenant_id, dataset_id, tag);
        const found = await similarExamples(deps, tenant_id, { dataset: dataset_id, filter, as_of }, like);
        // Clients add dataset_id themselves and reject a second one.
        return {
          examples: found.map(({ id, inputs, outputs, metadata }) => ({ id, inputs, outputs, metadata })),
        };
      },
    }),
  ];
};
