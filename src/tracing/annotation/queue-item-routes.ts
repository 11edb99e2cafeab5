import type { Context } from 'koa';
import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { readCursor, writeCursor } from '../query/page-cursor.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { ITEM_TYPES } from './annotation-queue.ts';
import { existingQueue } from './annotation-queue-repository.ts';
import { addRuns, addThreads } from './queue-additions.ts';
import { QueueItems, readItems, viewItems } from './queue-items.ts';
import * as repository from './queue-run-repository.ts';

const tags = ['Annotation queues'];
const path = '/platform/annotation-queues';
const OfQueue = Type.Object({ queue_id: Uuid });
const OfItem = Type.Object({ queue_id: Uuid, item_id: Uuid });
const Items = Type.Object({ items: Type.Array(JsonObject) });
const SECTIONS = ['needs_my_review', 'needs_others_review', 'archived'] as const;
const MAX_PER_PAGE = 100;

const Window = { min_start_time: Type.Optional(Timestamp), max_start_time: Type.Optional(Timestamp) };

/** Annotation queues for the generated clients: items are runs or threads (contract §1.14). */
export const queueItemRoutes = ({ db }: TracingDeps): Route[] => {
  const reviewerOf = (ctx: Context): string => callerOf(ctx).name;
  return [
    defineRoute({
      method: 'post',
      path: `${path}/items/{queue_item_id}/status`,
      operationId: 'reviewQueueItem',
      tags,
      summary: 'Mark an item as viewed or completed by the caller',
      params: Type.Object({ queue_item_id: Uuid }),
      body: Type.Object({
        status: Type.Optional(StringEnum(['viewed', 'completed'])),
        override_added_at: Type.Optional(Timestamp),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_item_id }, body: { status = null, override_added_at } }) => {
        const { tenant_id } = callerOf(ctx);
        const run = await repository.reviewQueueRun(db, tenant_id, queue_item_id, reviewerOf(ctx), status);
        if (override_added_at)
          await repository.updateQueueRun(db, tenant_id, run.queue_id, run.id, {
            added_at: override_added_at,
          });
        return { queue_item_id, status, is_archived: run.completed_at !== null, override_added_at };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/{queue_id}/items`,
      operationId: 'addQueueItems',
      tags,
      summary: 'Add runs and threads to a queue',
      params: OfQueue,
      query: Type.Object({ extend_trace_retention: Type.Boolean({ default: false }) }),
      body: Type.Object({ items: QueueItems }),
      responses: { 200: Items, 404: Detail, 422: Detail },
      handle: async ({ ctx, params: { queue_id }, query, body }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const { runs, threads } = readItems(body.items);
        const added = [
          ...(await addRuns(db, tenant_id, queue_id, runs, query.extend_trace_retention)),
          ...(await addThreads(db, tenant_id, queue_id, threads)),
        ];
        return { items: await viewItems(db, tenant_id, added) };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/items`,
      operationId: 'listQueueItems',
      tags,
      summary: 'List items of one section of a queue, oldest first',
      params: OfQueue,
      query: Type.Object({
        status: StringEnum(SECTIONS),
        item_type: Type.Optional(StringEnum(ITEM_TYPES)),
        cursor: Type.Optional(Type.String()),
        direction: StringEnum(['forward', 'backward'], { default: 'forward' }),
        page_size: Type.Integer({ minimum: 1, default: MAX_PER_PAGE }),
        ...Window,
      }),
      responses: { 200: Items, 400: Detail, 404: Detail },
      handle: async ({ ctx, params: { queue_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const backward = query.direction === 'backward';
        const limit = Math.min(query.page_size, MAX_PER_PAGE);
        const from = query.cursor ? readCursor(query.cursor) : undefined;
        if (backward && !from) throw new InvalidRequest('direction=backward needs a cursor');
        const rows = await repository.pageOfQueue(
          db,
          tenant_id,
          queue_id,
          { ...query, reviewer: reviewerOf(ctx) },
          { from, backward, limit: limit + 1 },
        );
        const page = backward ? rows.slice(-limit) : rows.slice(0, limit);
        const last = backward ? page[0] : page.at(-1);
        const next =
          rows.length > limit && last ? writeCursor({ start_time: last.added_at, id: last.id }) : null;
        return { items: await viewItems(db, tenant_id, page), next_cursor: next };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/items/count`,
      operationId: 'countQueueItems',
      tags,
      summary: 'Count the items of a queue or of one of its sections',
      params: OfQueue,
      query: Type.Object({
        status: StringEnum(['all', ...SECTIONS], { default: 'all' }),
        start_time: Type.Optional(Timestamp),
        end_time: Type.Optional(Timestamp),
        ...Window,
      }),
      responses: { 200: Type.Object({ count: Type.Integer() }), 404: Detail },
      handle: async ({ ctx, params: { queue_id }, query: { status, start_time, end_time, ...window } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const count = await repository.countQueueRuns(db, tenant_id, queue_id, {
          ...window,
          status: status === 'all' ? undefined : status,
          reviewer: reviewerOf(ctx),
          ...(status === 'archived' && { from: start_time, to: end_time }),
        });
        return { count };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/{queue_id}/items/delete`,
      operationId: 'deleteQueueItems',
      tags,
      summary: 'Remove items from a queue',
      params: OfQueue,
      body: Type.Object({ item_ids: Type.Array(Uuid, { minItems: 1, maxItems: 10_000 }) }),
      responses: { 204: { description: 'Removed' }, 404: Detail },
      handle: async ({ ctx, params: { queue_id }, body: { item_ids } }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        await repository.deleteQueueRuns(db, tenant_id, queue_id, { ids: item_ids });
      },
    }),
    defineRoute({
      method: 'patch',
      path: `${path}/{queue_id}/items/{item_id}`,
      operationId: 'updateQueueItem',
      tags,
      summary: 'Update when an item was added or reviewed',
      params: OfItem,
      body: Type.Object({
        added_at: Type.Optional(Timestamp),
        last_reviewed_time: Type.Optional(Timestamp),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id, item_id }, body }) => {
        const { tenant_id } = callerOf(ctx);
        const item = await repository.updateQueueRun(db, tenant_id, queue_id, item_id, body);
        return (await viewItems(db, tenant_id, [item]))[0];
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/items/{item_id}/placement`,
      operationId: 'readQueueItemPlacement',
      tags,
      summary: "Read an item's section and zero-based position",
      params: OfItem,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id, item_id } }) => {
        const { run, section, position } = await repository.placementOf(
          db,
          callerOf(ctx).tenant_id,
          queue_id,
          item_id,
          reviewerOf(ctx),
        );
        const cursor = writeCursor({ start_time: run.added_at, id: run.id });
        return { section, position, cursor, item_type: run.run_id ? 'RUN' : 'THREAD' };
      },
    }),
  ];
};
