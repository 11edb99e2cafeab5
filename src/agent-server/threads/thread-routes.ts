import { Type } from 'typebox';
import { paginate } from '../../platform/http/pagination.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, StringEnum } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { ThreadNotFound } from '../errors.ts';
import { clientMetadata } from '../reserved-keys.ts';
import { parseExtract } from '../records/extract-path.ts';
import {
  Thread,
  ThreadCount,
  ThreadCreate,
  ThreadPatch,
  ThreadPath,
  ThreadSearch,
} from '../records/thread.ts';
import { removeThreads } from './thread-removal.ts';
import {
  countThreads,
  findThread,
  searchThreads,
  threadExists,
  updateThread,
} from '../records/thread-repository.ts';
import { createThread } from './thread-service.ts';
import { readTtl } from './thread-ttl.ts';

const route = { tags: ['Threads'] };

export const threadRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads',
    operationId: 'createThread',
    summary: 'Create a thread',
    body: ThreadCreate,
    responses: { 200: Thread, 400: Detail, 409: Detail, 422: Detail },
    handle: ({ body, ctx }) => createThread(deps, callerOf(ctx), body),
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/search',
    operationId: 'searchThreads',
    summary: 'Search threads',
    body: ThreadSearch,
    responses: { 200: Type.Array(Type.Partial(Thread)), 422: Detail },
    async handle({ body, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'search', body);
      const extract = parseExtract(body.extract ?? {});
      return paginate(ctx, body, await searchThreads(deps.db, body, extract, reach));
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/threads/count',
    operationId: 'countThreads',
    summary: 'Count threads',
    body: ThreadCount,
    responses: { 200: Type.Integer(), 422: Detail },
    async handle({ body, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'search', body);
      return countThreads(deps.db, body, reach);
    },
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/threads/{thread_id}',
    operationId: 'getThread',
    summary: 'Get a thread',
    params: ThreadPath,
    query: Type.Object({ include: Type.Optional(Type.Array(StringEnum(['ttl']))) }),
    responses: { 200: Thread, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, query: { include = [] }, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'read', { thread_id });
      const thread = await findThread(deps.db, thread_id, { ttl: include.includes('ttl'), reach });
      if (!thread) throw new ThreadNotFound(thread_id);
      return thread;
    },
  }),
  defineRoute({
    ...route,
    method: 'patch',
    path: '/threads/{thread_id}',
    operationId: 'patchThread',
    summary:
      'Change the metadata or the ttl of a thread; with Prefer: return=minimal, without its record in return',
    params: ThreadPath,
    body: ThreadPatch,
    responses: { 200: Thread, 204: { description: 'Changed' }, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, body, ctx }) {
      const asked = { ...body, thread_id };
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'update', asked);
      const { metadata, ttl } = asked;
      const patch = { metadata: metadata && clientMetadata(metadata), ttl: readTtl(ttl) };
      const thread = await updateThread(deps.db, thread_id, patch, reach);
      if (!thread) throw new ThreadNotFound(thread_id);
      if (!/\breturn=minimal\b/i.test(ctx.get('prefer'))) return thread;
      ctx.set('preference-applied', 'return=minimal');
      return undefined;
    },
  }),
  defineRoute({
    ...route,
    method: 'delete',
    path: '/threads/{thread_id}',
    operationId: 'deleteThread',
    summary: 'Delete a thread with its runs and checkpoints; runs in flight are stopped first',
    params: ThreadPath,
    responses: { 204: { description: 'Deleted' }, 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'delete', { thread_id });
      const found = await threadExists(deps.db, thread_id, reach);
      if (!found || (await removeThreads(deps, [thread_id])) === 0) throw new ThreadNotFound(thread_id);
    },
  }),
];
