import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { DatasetNotFound } from '../errors.ts';
import { PAGE, readMetadata } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { comparativeRoutes } from './comparative-routes.ts';
import { DatasetCreate, DatasetQuery, DatasetUpdate } from './dataset.ts';
import { datasetCopyRoutes } from './dataset-copy-routes.ts';
import { datasetExportRoutes } from './dataset-export-routes.ts';
import * as repository from './dataset-repository.ts';
import { datasetSearchRoutes } from './dataset-search-routes.ts';
import { datasetShareRoutes } from './dataset-share-routes.ts';
import { datasetVersionRoutes } from './dataset-version-routes.ts';
import { exampleRoutes } from './example-routes.ts';
import { ExampleRules } from './rules/example-rules.ts';
import { exampleWriteRoutes } from './example-write-routes.ts';
import { experimentRoutes } from './experiment-routes.ts';

const tags = ['Datasets'];
const params = Type.Object({ dataset_id: Uuid });

/** All routes of datasets and examples (contract §1.13). */
export const datasetRoutes = (deps: TracingDeps): Route[] => [
  // Literal paths must precede `{id}` paths.
  ...comparativeRoutes(deps),
  ...datasetCopyRoutes(deps),
  ...crudRoutes(deps),
  ...datasetVersionRoutes(deps),
  ...datasetSearchRoutes(deps),
  ...datasetShareRoutes(deps),
  ...datasetExportRoutes(deps),
  ...experimentRoutes(deps),
  ...exampleRoutes(deps),
  ...exampleWriteRoutes(deps),
];

const crudRoutes = ({ db }: TracingDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/datasets',
    operationId: 'createDataset',
    tags,
    summary: 'Create a dataset',
    body: DatasetCreate,
    responses: { 200: JsonObject, 409: Detail, 422: Detail },
    handle: ({ ctx, body }) => {
      checkSchemas(body);
      return repository.insertDataset(db, callerOf(ctx).tenant_id, body);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/datasets',
    operationId: 'listDatasets',
    tags,
    summary: 'List datasets',
    query: Type.Object({ ...PAGE, ...DatasetQuery.properties }),
    responses: { 200: Type.Array(JsonObject) },
    handle: ({ ctx, query }) =>
      repository.listDatasets(
        db,
        callerOf(ctx).tenant_id,
        { ...query, metadata: readMetadata(query.metadata) },
        query,
      ),
  }),
  defineRoute({
    method: 'get',
    path: '/datasets/{dataset_id}',
    operationId: 'readDataset',
    tags,
    summary: 'Read a dataset',
    params,
    responses: { 200: JsonObject, 404: Detail },
    handle: ({ ctx, params: { dataset_id } }) =>
      repository.existingDataset(db, callerOf(ctx).tenant_id, dataset_id),
  }),
  defineRoute({
    method: 'patch',
    path: '/datasets/{dataset_id}',
    operationId: 'updateDataset',
    tags,
    summary: 'Update a dataset',
    params,
    body: DatasetUpdate,
    responses: { 200: JsonObject, 404: Detail, 409: Detail, 422: Detail },
    handle: async ({ ctx, params: { dataset_id }, body }) => {
      checkSchemas(body);
      const dataset = await repository.updateDataset(db, callerOf(ctx).tenant_id, dataset_id, body);
      if (!dataset) throw new DatasetNotFound(dataset_id);
      return dataset;
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/datasets/{dataset_id}',
    operationId: 'deleteDataset',
    tags,
    summary: 'Delete a dataset and its examples',
    params,
    responses: { 200: JsonObject, 404: Detail },
    handle: async ({ ctx, params: { dataset_id } }) => {
      if (!(await repository.deleteDataset(db, callerOf(ctx).tenant_id, dataset_id)))
        throw new DatasetNotFound(dataset_id);
      return { message: 'Dataset deleted' };
    },
  }),
];

/** Throws InvalidSchema. */
const checkSchemas = ({ inputs_schema_definition = null, outputs_schema_definition = null }: DatasetUpdate) =>
  new ExampleRules({ inputs_schema_definition, outputs_schema_definition, transformations: null });
