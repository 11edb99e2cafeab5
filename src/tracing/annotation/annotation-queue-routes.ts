import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { PAGE } from '../request/query-lists.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { QueueCreate, QueueUpdate } from './annotation-queue.ts';
import * as repository from './annotation-queue-repository.ts';
import { queueItemRoutes } from './queue-item-routes.ts';
import { addExperiments } from './queue-additions.ts';
import { queueRunRoutes } from './queue-run-routes.ts';

const tags = ['Annotation queues'];
const path = '/annotation-queues';
const params = Type.Object({ queue_id: Uuid });

/** Annotation queues: runs for human review (contract §1.13). */
export const annotationQueueRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  return [
    ...queueRunRoutes(deps),
    ...queueItemRoutes(deps),
    defineRoute({
      method: 'post',
      path: `${path}/populate`,
      operationId: 'populateAnnotationQueue',
      tags,
      summary: 'Add the traces of experiments to a queue',
      body: Type.Object({
        queue_id: Uuid,
        session_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }),
      }),
      responses: { 200: Type.Object({ count: Type.Integer() }), 404: Detail },
      handle: async ({ ctx, body: { queue_id, session_ids } }) => {
        const { tenant_id } = callerOf(ctx);
        await repository.existingQueue(db, tenant_id, queue_id);
        return { count: await addExperiments(db, tenant_id, queue_id, session_ids) };
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'createAnnotationQueue',
      tags,
      summary: 'Create a queue',
      body: QueueCreate,
      responses: { 200: JsonObject, 409: Detail },
      handle: ({ ctx, body }) => repository.insertQueue(db, callerOf(ctx).tenant_id, body),
    }),
    defineRoute({
      method: 'get',
      path,
      operationId: 'listAnnotationQueues',
      tags,
      summary: 'List queues, newest first',
      query: Type.Object({
        ...PAGE,
        ids: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
        name: Type.Optional(Type.String()),
        name_contains: Type.Optional(Type.String()),
        dataset_id: Type.Optional(Uuid),
      }),
      responses: { 200: Type.Array(JsonObject) },
      handle: ({ ctx, query }) => repository.listQueues(db, callerOf(ctx).tenant_id, query),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}`,
      operationId: 'readAnnotationQueue',
      tags,
      summary: 'Read a queue',
      params,
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ ctx, params: { queue_id } }) =>
        repository.existingQueue(db, callerOf(ctx).tenant_id, queue_id),
    }),
    defineRoute({
      method: 'patch',
      path: `${path}/{queue_id}`,
      operationId: 'updateAnnotationQueue',
      tags,
      summary: 'Update a queue',
      params,
      body: QueueUpdate,
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ ctx, params: { queue_id }, body }) =>
        repository.updateQueue(db, callerOf(ctx).tenant_id, queue_id, body),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{queue_id}`,
      operationId: 'deleteAnnotationQueue',
      tags,
      summary: 'Delete a queue but keep its runs',
      params,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id } }) => {
        await repository.deleteQueue(db, callerOf(ctx).tenant_id, queue_id);
        return { message: 'Annotation queue deleted' };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{run_id}/queues`,
      operationId: 'listAnnotationQueuesOfRun',
      tags,
      summary: 'List the queues that contain a run',
      params: Type.Object({ run_id: Uuid }),
      responses: { 200: Type.Array(JsonObject) },
      handle: ({ ctx, params: { run_id } }) =>
        repository.listQueues(db, callerOf(ctx).tenant_id, { run_id, limit: 1_000, offset: 0 }),
    }),
  ];
};
