import type { Context } from 'koa';
import { Type } from 'typebox';
import { paginate } from '../../platform/http/pagination.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { Run } from '../records/run.ts';
import { RunFilter, RunSearch, RunStats, RunStatsQuery } from './run-search.ts';
import { runStats, searchRuns, type ThreadReach } from './run-search-repository.ts';

/** Search across threads. A caller who can find a thread can find its runs. */
export const runSearchRoutes = ({ access, db }: AgentDeps): Route[] => {
  const route = { tags: ['Stateless Runs'], path: '/runs/stats', summary: 'Count runs by status' } as const;
  const reachable = async (ctx: Context, { limit = 0, offset = 0 } = {}): Promise<ThreadReach> => {
    const asked = { metadata: {}, limit, offset };
    const filter = await access.authorize(callerOf(ctx), 'threads', 'search', asked);
    return { filter, metadata: asked.metadata };
  };
  const stats = async (ctx: Context, filter: RunFilter) => runStats(db, filter, await reachable(ctx));
  return [
    defineRoute({
      ...route,
      method: 'post',
      path: '/runs/search',
      operationId: 'searchRuns',
      summary: 'Search runs, newest first',
      body: RunSearch,
      responses: { 200: Type.Array(Type.Partial(Run)), 422: Detail },
      async handle({ body, ctx }) {
        return paginate(ctx, body, await searchRuns(db, body, await reachable(ctx, body)));
      },
    }),
    defineRoute({
      ...route,
      method: 'get',
      operationId: 'getRunStats',
      query: RunStatsQuery,
      responses: { 200: RunStats, 422: Detail },
      handle: ({ query, ctx }) => stats(ctx, query),
    }),
    defineRoute({
      ...route,
      method: 'post',
      operationId: 'countRuns',
      body: RunFilter,
      responses: { 200: RunStats, 422: Detail },
      handle: ({ body, ctx }) => stats(ctx, body),
    }),
  ];
};
