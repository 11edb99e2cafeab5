import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { reachThread } from '../auth/thread-access.ts';
import { SourceUnreadable } from '../errors.ts';
import { checkpointStorage } from '../checkpoints/checkpoint-maintenance.ts';
import { selectPaths } from './select-paths.ts';
import { readBefore, readHistory, readThreadState, writeState } from './state-service.ts';
import { Thread } from '../records/thread.ts';
import { copyThread } from './thread-copy.ts';
import { pruneFor } from './thread-prune.ts';
import { CheckpointPoint, ThreadState } from './thread-state.ts';

const ThreadPath = Type.Object({ thread_id: Uuid });
const StateQuery = Type.Object({
  subgraphs: Type.Boolean({ default: false }),
  select: Type.Optional(Type.Array(Type.String())),
});
// Partial, because `select` limits the fields.
const SelectedState = Type.Partial(ThreadState);
const Limit = Type.Integer({ minimum: 1, maximum: 1000, default: 1 });
const route = { tags: ['Threads'] } as const;

export const threadStateRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    ...route,
    method: 'get',
    path: '/threads/{thread_id}/state',
    operationId: 'getThreadState',
    summary: 'Get the latest state of a thread',
    params: ThreadPath,
    query: StateQuery,
    responses: { 200: SelectedState, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, query: { subgraphs, select }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      return selectPaths(await readThreadState(deps, thread_id, undefined, subgraphs), select);
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/{thread_id}/state/checkpoint',
    operationId: 'getThreadStateAtPoint',
    summary: 'Get the state of a thread or of one of its subgraphs at a checkpoint',
    params: ThreadPath,
    body: Type.Object({
      checkpoint: CheckpointPoint,
      subgraphs: Type.Boolean({ default: false }),
      select: Type.Optional(Type.Array(Type.String())),
    }),
    responses: { 200: SelectedState, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, body: { checkpoint, subgraphs, select }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      return selectPaths(await readThreadState(deps, thread_id, checkpoint, subgraphs), select);
    },
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/threads/{thread_id}/state/{checkpoint_id}',
    operationId: 'getThreadStateAtCheckpoint',
    summary: 'Get the state of a thread at a checkpoint',
    params: Type.Object({ thread_id: Uuid, checkpoint_id: Uuid }),
    query: StateQuery,
    responses: { 200: SelectedState, 404: Detail, 422: Detail },
    async handle({ params: { thread_id, checkpoint_id }, query: { subgraphs, select }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      return selectPaths(await readThreadState(deps, thread_id, { checkpoint_id }, subgraphs), select);
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/{thread_id}/state',
    operationId: 'updateThreadState',
    summary: 'Update the state of a thread',
    params: ThreadPath,
    body: Type.Object({
      values: Type.Optional(Type.Unknown()),
      as_node: Type.Optional(Type.String()),
      checkpoint: Type.Optional(CheckpointPoint),
      checkpoint_id: Type.Optional(Uuid),
    }),
    responses: { 200: JsonObject, 400: Detail, 404: Detail, 409: Detail, 422: Detail },
    async handle({ params: { thread_id }, body: { values, as_node, checkpoint, checkpoint_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'update', thread_id);
      const at = checkpoint ?? (checkpoint_id ? { checkpoint_id } : undefined);
      // A list means several writes by the same node.
      const writes = (Array.isArray(values) ? values : [values]).map((value: unknown) => ({
        values: value,
        as_node,
      }));
      const { configurable } = await writeState(deps, thread_id, [writes], at);
      const { checkpoint_ns = '', checkpoint_id: id } = configurable;
      const point = { thread_id, checkpoint_ns, checkpoint_id: id };
      return { checkpoint: point, configurable: point, checkpoint_id: id };
    },
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/threads/{thread_id}/history',
    operationId: 'getThreadHistory',
    summary: 'List the states of a thread, newest first',
    params: ThreadPath,
    query: Type.Object({ limit: Limit, before: Type.Optional(Uuid) }),
    responses: { 200: Type.Array(ThreadState), 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, query: { limit, before }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      return readHistory(deps, thread_id, { limit, before: readBefore(before) });
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/{thread_id}/history',
    operationId: 'searchThreadHistory',
    summary: 'List the states of a thread, newest first',
    params: ThreadPath,
    body: Type.Object({
      limit: Limit,
      before: Type.Optional(Type.Union([Type.String(), JsonObject])),
      metadata: Type.Optional(JsonObject),
      checkpoint: Type.Optional(CheckpointPoint),
      select: Type.Optional(Type.Array(Type.String())),
    }),
    responses: { 200: Type.Array(SelectedState), 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, body: { before, select, ...query }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      const states = await readHistory(deps, thread_id, { ...query, before: readBefore(before) });
      return states.map((state) => selectPaths(state, select));
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/{thread_id}/copy',
    operationId: 'copyThread',
    summary: 'Copy a thread with its whole history',
    params: ThreadPath,
    responses: { 200: Thread, 409: Detail, 422: Detail },
    async handle({ params: { thread_id }, ctx }) {
      const copy = await copyThread(deps, callerOf(ctx), thread_id);
      if (!copy) throw new SourceUnreadable(thread_id);
      return copy;
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/prune',
    operationId: 'pruneThreads',
    summary: 'Delete threads, or all but their latest checkpoints',
    body: Type.Object({
      thread_ids: Type.Array(Uuid),
      strategy: StringEnum(['delete', 'keep_latest'], { default: 'delete' }),
    }),
    responses: { 200: Type.Object({ pruned_count: Type.Integer() }), 422: Detail },
    handle: async ({ body, ctx }) => ({ pruned_count: await pruneFor(deps, callerOf(ctx), body) }),
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/threads/{thread_id}/storage',
    operationId: 'getThreadStorage',
    summary: 'How many bytes the checkpoints of a thread take',
    params: ThreadPath,
    responses: { 200: JsonObject, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      await readThreadState(deps, thread_id, undefined, false);
      return { thread_id, ...(await checkpointStorage(deps.db, thread_id)) };
    },
  }),
];
