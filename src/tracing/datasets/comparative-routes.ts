import { Type } from 'typebox';
import { uuid7 } from '../../platform/ids.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import * as repository from './comparative-repository.ts';
import { existingDataset } from './dataset-repository.ts';

const tags = ['Datasets'];

/** Pairwise comparisons of experiments (contract §1.13). */
export const comparativeRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/datasets/comparative',
    operationId: 'createComparativeExperiment',
    tags,
    summary: 'Create a comparison of experiments',
    body: Type.Object({
      id: Type.Optional(Uuid),
      name: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      reference_dataset_id: Uuid,
      experiment_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
      extra: Type.Optional(JsonObject),
      created_at: Type.Optional(Timestamp),
    }),
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, body }) => {
      const { tenant_id } = callerOf(ctx);
      await existingDataset(db, tenant_id, body.reference_dataset_id);
      return repository.insertComparison(db, tenant_id, { ...body, id: body.id ?? uuid7() });
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/datasets/comparative/{comparison_id}',
    operationId: 'deleteComparativeExperiment',
    tags,
    summary: 'Delete a comparison but keep its experiments',
    params: Type.Object({ comparison_id: Uuid }),
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, params: { comparison_id } }) => {
      await repository.deleteComparison(db, callerOf(ctx).tenant_id, comparison_id);
      return { message: 'Comparison deleted' };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/datasets/{dataset_id}/comparative',
    operationId: 'listComparativeExperiments',
    tags,
    summary: 'List comparisons of experiments on a dataset',
    params: Type.Object({ dataset_id: Uuid }),
    query: Type.Object(PAGE),
    responses: { 200: Type.Array(JsonObject) },
    handle: ({ ctx, params: { dataset_id }, query }) =>
      repository.listComparisons(db, callerOf(ctx).tenant_id, dataset_id, query),
  }),
];
