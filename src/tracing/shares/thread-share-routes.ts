import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { ThreadNotFound } from '../errors.ts';
import type { TracingDeps } from '../tracing-deps.ts';
import {
  deleteThreadShare,
  findThreadShare,
  insertThreadShare,
  type Thread,
} from './thread-share-repository.ts';

const one = {
  path: '/api/v2/threads/{thread_id}/share',
  params: Type.Object({ thread_id: Type.String() }),
  tags: ['Shares'],
};
const Named = Type.Object({ project_id: Uuid });
const Shared = Type.Object({ share_token: Type.Optional(Uuid) });

const threadOf = (ctx: Context, { thread_id }: { thread_id: string }, project_id: string): Thread => ({
  tenant_id: callerOf(ctx).tenant_id,
  project_id,
  thread_id,
});

/** Shares threads without a key (contract §1.14). */
export const threadShareRoutes = ({ db }: Pick<TracingDeps, 'db'>): Route[] => [
  defineRoute({
    ...one,
    method: 'post',
    operationId: 'shareThreadV2',
    summary: 'Share all traces of a thread by token',
    body: Named,
    responses: { 200: Shared, 404: Detail },
    handle: async ({ ctx, params, body }) => {
      const share_token = await insertThreadShare(db, threadOf(ctx, params, body.project_id), randomUUID());
      if (share_token === undefined) throw new ThreadNotFound(params.thread_id);
      return { share_token };
    },
  }),
  defineRoute({
    ...one,
    method: 'get',
    operationId: 'readThreadShareV2',
    summary: 'Read the token of a thread; null if not shared',
    query: Named,
    responses: { 200: Shared },
    handle: async ({ ctx, params, query }) => {
      const share_token = await findThreadShare(db, threadOf(ctx, params, query.project_id));
      return share_token === undefined ? {} : { share_token };
    },
  }),
  defineRoute({
    ...one,
    method: 'delete',
    operationId: 'unshareThreadV2',
    summary: 'Stop sharing a thread',
    query: Named,
    responses: { 204: { description: 'No longer shared' } },
    handle: ({ ctx, params, query }) => deleteThreadShare(db, threadOf(ctx, params, query.project_id)),
  }),
];
