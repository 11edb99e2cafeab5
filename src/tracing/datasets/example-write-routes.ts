import type { Context } from 'koa';
import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { ExampleNotFound, InvalidBatch, InvalidExample } from '../errors.ts';
import { boundaryOf, type Part, splitMultipart } from '../request/multipart.ts';
import { requestBytes } from '../request/request-bytes.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { ExampleCreate, ExampleUpdate } from './example.ts';
import { datasetsOfExamples, findExamples } from './example-repository.ts';
import { deleteExamples, eraseExamples } from './example-removal.ts';
import * as service from './example-service.ts';
import { EXAMPLE_FIELDS, viewExample } from './example-view.ts';
import { changeMetadata, MetadataOperation } from './example-metadata.ts';
import { readCreates, readUpdates, readUpserts, type Sent } from './read-examples.ts';

const tags = ['Examples'];
const Written = Type.Object({
  count: Type.Integer(),
  example_ids: Type.Array(Uuid),
  as_of: Type.String(),
});
const written = { 201: Written, 404: Detail, 409: Detail, 422: Detail };
const OfDataset = Type.Object({ dataset_id: Uuid });
const OfExample = Type.Object({ example_id: Uuid });
const InDataset = Type.Object({ ...ExampleCreate.properties, dataset_id: Uuid });
const Ids = Type.Array(Uuid, { minItems: 1, maxItems: 10_000 });

/** Creates and updates examples, as multipart with attachments or as JSON (contract §1.13). */
export const exampleWriteRoutes = (deps: TracingDeps): Route[] => {
  const { db, config } = deps;
  const partsOf = async (ctx: Context): Promise<Part[]> => {
    const boundary = boundaryOf(ctx.get('content-type'));
    if (!boundary) throw new InvalidBatch('Content-Type must be multipart/form-data with a boundary');
    return splitMultipart(await requestBytes(ctx.req, config.SLIPWAY_TRACE_BODY_BYTES), boundary);
  };
  const created = <Body>(ctx: Context, body: Body): Body => {
    ctx.status = 201;
    return body;
  };
  const viewed = async (ctx: Context, ids: string[]) => {
    const { tenant_id } = callerOf(ctx);
    const how = { tenantId: tenant_id, link: blobLinks(deps, ctx), select: [...EXAMPLE_FIELDS] };
    return (await findExamples(db, tenant_id, ids)).map((row) => viewExample(row, how));
  };
  const byDataset = async (ctx: Context, updates: Sent<ExampleUpdate>[]): Promise<void> => {
    const { tenant_id } = callerOf(ctx);
    const ids = updates.map(({ id }) => id);
    const datasets = await datasetsOfExamples(db, tenant_id, ids);
    const missing = ids.find((id) => !datasets.has(id));
    if (missing) throw new ExampleNotFound(missing);
    for (const dataset of [...new Set(datasets.values())].sort())
      await service.updateExamples(
        deps,
        tenant_id,
        dataset,
        updates.filter(({ id }) => datasets.get(id) === dataset),
      );
  };
  return [
    defineRoute({
      method: 'post',
      path: '/platform/datasets/{dataset_id}/examples',
      operationId: 'createExamplesMultipart',
      tags,
      summary: 'Create examples with attachments',
      params: OfDataset,
      responses: written,
      handle: async ({ ctx, params }) => {
        const sent = readCreates(await partsOf(ctx));
        return created(
          ctx,
          await service.createExamples(deps, callerOf(ctx).tenant_id, params.dataset_id, sent),
        );
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/platform/datasets/{dataset_id}/examples',
      operationId: 'updateExamplesMultipart',
      tags,
      summary: 'Update examples with attachments; fields without a part stay',
      params: OfDataset,
      responses: written,
      handle: async ({ ctx, params }) => {
        const sent = readUpdates(await partsOf(ctx));
        return created(
          ctx,
          await service.updateExamples(deps, callerOf(ctx).tenant_id, params.dataset_id, sent),
        );
      },
    }),
    defineRoute({
      method: 'post',
      path: '/platform/examples/multipart',
      operationId: 'upsertExamplesMultipart',
      tags,
      summary: 'Create or replace examples of the dataset named by their dataset_id',
      responses: written,
      handle: async ({ ctx }) => {
        const { dataset, sent } = readUpserts(await partsOf(ctx));
        return created(ctx, await service.createExamples(deps, callerOf(ctx).tenant_id, dataset, sent));
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/platform/datasets/{dataset_id}/examples/metadata',
      operationId: 'updateExamplesMetadata',
      tags,
      summary: 'Apply the same metadata changes to several examples',
      params: OfDataset,
      body: Type.Object({
        example_ids: Ids,
        operations: Type.Array(MetadataOperation, { minItems: 1, maxItems: 50 }),
      }),
      responses: { 207: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { dataset_id }, body: { example_ids, operations } }) => {
        const ids = [...new Set(example_ids)];
        const changed = await changeMetadata(db, callerOf(ctx).tenant_id, dataset_id, ids, operations);
        ctx.status = 207;
        return { statuses: ids.map((id) => ({ id, status: changed.has(id) ? 'UPDATED' : 'NOT_FOUND' })) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/platform/datasets/{dataset_id}/examples/{example_id}',
      operationId: 'deleteExampleOfDataset',
      tags,
      summary: 'Delete an example from the current version; older versions keep it',
      params: Type.Object({ dataset_id: Uuid, example_id: Uuid }),
      responses: { 204: { description: 'Deleted' }, 404: Detail },
      handle: async ({ ctx, params: { dataset_id, example_id } }) => {
        const { tenant_id } = callerOf(ctx);
        const datasets = await datasetsOfExamples(db, tenant_id, [example_id]);
        if (datasets.get(example_id) !== dataset_id) throw new ExampleNotFound(example_id);
        await deleteExamples(db, tenant_id, [example_id]);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/platform/datasets/examples/delete',
      operationId: 'deleteExamplesForGood',
      tags,
      summary: 'Delete examples; hard_delete also removes them from older versions',
      body: Type.Object({ example_ids: Ids, hard_delete: Type.Boolean({ default: false }) }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, body: { example_ids, hard_delete } }) => {
        const remove = hard_delete ? eraseExamples : deleteExamples;
        await remove(db, callerOf(ctx).tenant_id, [...new Set(example_ids)]);
        return { count: example_ids.length };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/examples',
      operationId: 'createExample',
      tags,
      summary: 'Create an example',
      body: InDataset,
      responses: { 200: JsonObject, 404: Detail, 409: Detail, 422: Detail },
      handle: async ({ ctx, body: { dataset_id, ...body } }) => {
        const sent = [service.sentAsJson(body)];
        const { example_ids } = await service.createExamples(deps, callerOf(ctx).tenant_id, dataset_id, sent);
        return (await viewed(ctx, example_ids))[0];
      },
    }),
    defineRoute({
      method: 'post',
      path: '/examples/bulk',
      operationId: 'createExamples',
      tags,
      summary: 'Create examples in one dataset',
      body: Type.Array(InDataset, { minItems: 1, maxItems: 10_000 }),
      responses: { 200: Type.Array(JsonObject), 404: Detail, 409: Detail, 422: Detail },
      handle: async ({ ctx, body }) => {
        const [dataset, ...others] = new Set(body.map(({ dataset_id }) => dataset_id));
        if (others.length > 0) throw new InvalidExample('All examples must belong to one dataset');
        const sent = body.map(({ dataset_id: _same, ...one }) => service.sentAsJson(one));
        const { example_ids } = await service.createExamples(deps, callerOf(ctx).tenant_id, dataset!, sent);
        return viewed(ctx, example_ids);
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/examples/bulk',
      operationId: 'updateExamples',
      tags,
      summary: 'Update examples',
      body: Type.Array(Type.Object({ ...ExampleUpdate.properties, id: Uuid }), {
        minItems: 1,
        maxItems: 10_000,
      }),
      responses: { 200: JsonObject, 404: Detail, 422: Detail },
      handle: async ({ ctx, body }) => {
        await byDataset(
          ctx,
          body.map(({ id, ...update }) => ({ id, body: update, attachments: [] })),
        );
        return { message: 'Examples updated', count: body.length };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/examples/{example_id}',
      operationId: 'updateExample',
      tags,
      summary: 'Update an example',
      params: OfExample,
      body: ExampleUpdate,
      responses: { 200: JsonObject, 404: Detail, 422: Detail },
      handle: async ({ ctx, params: { example_id }, body }) => {
        await byDataset(ctx, [{ id: example_id, body, attachments: [] }]);
        return (await viewed(ctx, [example_id]))[0];
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/examples/{example_id}',
      operationId: 'deleteExample',
      tags,
      summary: 'Delete an example from the current version; older versions keep it',
      params: OfExample,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { example_id } }) => {
        await deleteExamples(db, callerOf(ctx).tenant_id, [example_id]);
        return { message: 'Example deleted' };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/examples',
      operationId: 'deleteExamples',
      tags,
      summary: 'Delete examples from the current version; older versions keep them',
      query: Type.Object({ example_ids: Ids }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, query }) => {
        await deleteExamples(db, callerOf(ctx).tenant_id, [...new Set(query.example_ids)]);
        return { message: 'Examples deleted', count: query.example_ids.length };
      },
    }),
  ];
};
