import type { Context } from 'koa';
import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { blobLinks } from '../bodies/blob-links.ts';
import { callerOf } from '../caller.ts';
import { QueueRunNotFound } from '../errors.ts';
import { PAGE } from '../request/query-lists.ts';
import { findRuns } from '../runs/run-repository.ts';
import { runJson, type RunView, viewInPortions } from '../query/run-view.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import { type QueueRun, REVIEW_STATUSES } from './annotation-queue.ts';
import { existingQueue } from './annotation-queue-repository.ts';
import { addRuns } from './queue-additions.ts';
import * as repository from './queue-run-repository.ts';

const tags = ['Annotation queues'];
const path = '/annotation-queues';
const params = Type.Object({ queue_id: Uuid });
const OfRun = Type.Object({ queue_id: Uuid, queue_run_id: Uuid });
const Size = Type.Object({ size: Type.Integer() });
const Status = Type.Optional(StringEnum(REVIEW_STATUSES));
const Keyed = Type.Object({ run_id: Uuid, source_proposed_example_id: Type.Optional(Uuid) });
const Keeping = Type.Object({ extend_trace_retention: Type.Boolean({ default: true }) });
const Added = Type.Array(Type.Union([Uuid, Keyed]), { maxItems: 10_000 });

/** Runs in annotation queues; adding is idempotent (contract §1.13). Threads are reached through the item routes. */
export const queueRunRoutes = (deps: TracingDeps): Route[] => {
  const { db } = deps;
  const reviewerOf = (ctx: Context): string => callerOf(ctx).name;
  const add = (spelling: string, operationId: string) =>
    defineRoute({
      method: 'post',
      path: `${path}/{queue_id}/${spelling}`,
      operationId,
      tags,
      summary: 'Add runs to a queue',
      params,
      query: Keeping,
      body: Added,
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ ctx, params: { queue_id }, query, body }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const runs = body.map((run) => (typeof run === 'string' ? { run_id: run.toLowerCase() } : run));
        const once = [...new Map(runs.map((run) => [run.run_id, run])).values()];
        return addRuns(db, tenant_id, queue_id, once, query.extend_trace_retention);
      },
    });
  const size = (spelling: string, operationId: string, archived: boolean) =>
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/${spelling}`,
      operationId,
      tags,
      summary: archived ? 'Count completed runs' : 'Count runs',
      params,
      query: Type.Object({
        status: Status,
        start_time: Type.Optional(Timestamp),
        end_time: Type.Optional(Timestamp),
      }),
      responses: { 200: Size, 404: Detail },
      handle: async ({ ctx, params: { queue_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const count = await repository.countQueueRuns(db, tenant_id, queue_id, {
          status: archived ? 'archived' : query.status,
          item_type: 'RUN',
          reviewer: reviewerOf(ctx),
          from: query.start_time,
          to: query.end_time,
        });
        return { size: count };
      },
    });
  return [
    defineRoute({
      method: 'post',
      path: `${path}/status/{queue_run_id}`,
      operationId: 'reviewAnnotationQueueRun',
      tags,
      summary: 'Mark a run as viewed or completed by the caller',
      params: Type.Object({ queue_run_id: Uuid }),
      body: Type.Object({
        status: Type.Optional(Type.Union([StringEnum(['viewed', 'completed']), Type.Null()])),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ ctx, params: { queue_run_id }, body }) =>
        repository.reviewQueueRun(
          db,
          callerOf(ctx).tenant_id,
          queue_run_id,
          reviewerOf(ctx),
          body.status ?? null,
        ),
    }),
    add('runs', 'addRunsToAnnotationQueue'),
    add('runs/by-key', 'addRunsToAnnotationQueueByKey'),
    size('size', 'readAnnotationQueueSize', false),
    size('total_size', 'readAnnotationQueueTotalSize', false),
    size('total_archived', 'readAnnotationQueueTotalArchived', true),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/runs`,
      operationId: 'listAnnotationQueueRuns',
      tags,
      summary: 'List runs of a queue, oldest first',
      params,
      query: Type.Object({ ...PAGE, status: Status, archived: Type.Optional(Type.Boolean()) }),
      responses: { 200: Type.Array(JsonObject), 404: Detail },
      handle: async ({ ctx, params: { queue_id }, query }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const rows = await repository.listQueueRuns(db, tenant_id, queue_id, {
          ...query,
          status: query.archived ? 'archived' : query.status,
          item_type: 'RUN',
          reviewer: reviewerOf(ctx),
        });
        const text = new JsonText('[');
        for await (const run of queueRunsJson(deps, ctx, rows)) text.addItem(run);
        return text.add(']');
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{queue_id}/run/{index}`,
      operationId: 'readAnnotationQueueRun',
      tags,
      summary: 'Read the run at a zero-based position',
      params: Type.Object({ queue_id: Uuid, index: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }) }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id, index } }) => {
        const { tenant_id } = callerOf(ctx);
        const rows = await repository.listQueueRuns(db, tenant_id, queue_id, {
          status: undefined,
          item_type: 'RUN',
          reviewer: reviewerOf(ctx),
          limit: 1,
          offset: index,
        });
        if (rows.length === 0) throw new QueueRunNotFound();
        const { value } = await queueRunsJson(deps, ctx, rows).next();
        return new JsonText(value!);
      },
    }),
    defineRoute({
      method: 'patch',
      path: `${path}/{queue_id}/runs/{queue_run_id}`,
      operationId: 'updateAnnotationQueueRun',
      tags,
      summary: 'Update when a run was added or reviewed',
      params: OfRun,
      body: Type.Object({
        added_at: Type.Optional(Timestamp),
        last_reviewed_time: Type.Optional(Timestamp),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: ({ ctx, params: { queue_id, queue_run_id }, body }) =>
        repository.updateQueueRun(db, callerOf(ctx).tenant_id, queue_id, queue_run_id, body),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{queue_id}/runs/{queue_run_id}`,
      operationId: 'deleteAnnotationQueueRun',
      tags,
      summary: 'Remove a run from a queue',
      params: OfRun,
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id, queue_run_id } }) => {
        const { tenant_id } = callerOf(ctx);
        const count = await repository.deleteQueueRuns(db, tenant_id, queue_id, { ids: [queue_run_id] });
        if (count === 0) throw new QueueRunNotFound();
        return { message: 'Run removed from the queue' };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/{queue_id}/runs/delete`,
      operationId: 'deleteAnnotationQueueRuns',
      tags,
      summary: 'Remove selected runs, or all but selected runs',
      params,
      body: Type.Object({
        run_ids: Type.Optional(Type.Array(Uuid, { maxItems: 10_000 })),
        exclude_run_ids: Type.Optional(Type.Array(Uuid, { maxItems: 10_000 })),
        delete_all: Type.Boolean({ default: false }),
      }),
      responses: { 200: JsonObject, 404: Detail },
      handle: async ({ ctx, params: { queue_id }, body }) => {
        const { tenant_id } = callerOf(ctx);
        await existingQueue(db, tenant_id, queue_id);
        const ids = body.delete_all ? undefined : (body.run_ids ?? []);
        const except = body.exclude_run_ids;
        return { count: await repository.deleteQueueRuns(db, tenant_id, queue_id, { ids, except }) };
      },
    }),
  ];
};

/** Streams runs with their queue fields; deleted runs have only those. Reads bodies in portions to bound memory. */
async function* queueRunsJson(
  deps: TracingDeps,
  ctx: Context,
  rows: QueueRun[],
): AsyncGenerator<string, void, undefined> {
  const { tenant_id } = callerOf(ctx);
  const ids = rows.flatMap(({ run_id }) => run_id ?? []);
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const found = (await findRuns(deps.db, tenant_id, ids)).sort(
    (one, other) => indexes.get(one.id)! - indexes.get(other.id)!,
  );
  const waiting = rows.values();
  const next = () => waiting.next().value;
  for await (const some of viewInPortions(deps.db, tenant_id, found, {
    raw: true,
    link: blobLinks(deps, ctx),
  }))
    for (const run of some)
      for (let row = next(); row; row = next()) {
        const isIts = row.run_id === run.id;
        yield queueRunJson(row, isIts ? run : undefined);
        if (isIts) break;
      }
  for (let row = next(); row; row = next()) yield queueRunJson(row);
}

const queueRunJson = (
  { id, run_id, queue_id, project_id: _project, thread_id: _thread, ...item }: QueueRun,
  run?: RunView,
): string => runJson({ ...run, id: run_id, queue_run_id: id, queue_id, ...item });
