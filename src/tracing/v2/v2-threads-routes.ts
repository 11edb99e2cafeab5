import { Type } from 'typebox';
import { JsonText } from '../../platform/http/json-text.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import { readCursor, readThreadCursor, writeCursor, writeThreadCursor } from '../query/page-cursor.ts';
import { type PageDeps, readPage } from '../query/read-page.ts';
import { conditionOf } from '../query/run-query-body.ts';
import { feedbackOfThreads } from '../query/feedback-of-runs.ts';
import { threadDetails } from '../query/thread-details.ts';
import { findThreads } from '../query/threads.ts';
import { runJson } from '../query/run-view.ts';
import { MAX_PER_PAGE, needJson, windowOf } from './v2-request.ts';
import { Items, tags } from './v2-runs-routes.ts';
import {
  neededForTrace,
  TRACE_SELECTS,
  THREAD_STATS,
  threadStats,
  threadTrace,
  v2Thread,
} from './v2-thread.ts';

const optional = Type.Optional;
const Named = Type.Object({ thread_id: Type.String() });

/** Threads in version 2 of the API (contract §1.14). */
export const v2ThreadsRoutes = (deps: PageDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/v2/threads/query',
    operationId: 'queryThreadsV2',
    tags,
    summary: 'List threads of a project, newest first',
    body: Type.Object({
      project_id: Uuid,
      filter: optional(Type.String()),
      thread_filter: optional(Type.String()),
      trace_filter: optional(Type.String()),
      tree_filter: optional(Type.String()),
      min_start_time: optional(Type.String()),
      max_start_time: optional(Type.String()),
      page_size: optional(Type.Integer({ minimum: 1 })),
      cursor: optional(Type.String()),
    }),
    responses: { 200: Items, 406: Detail },
    handle: async ({ ctx, body }) => {
      needJson(ctx);
      const limit = Math.min(body.page_size ?? MAX_PER_PAGE, MAX_PER_PAGE);
      const filters = [conditionOf(body.filter), conditionOf(body.thread_filter)].filter(
        (c) => c !== undefined,
      );
      const threads = await findThreads(
        deps,
        {
          tenant_id: callerOf(ctx).tenant_id,
          projects: [body.project_id],
          ...windowOf(body),
          filter: filters.length > 0 ? { all: filters } : undefined,
          trace_filter: conditionOf(body.trace_filter),
          tree_filter: conditionOf(body.tree_filter),
        },
        { limit: limit + 1, after: body.cursor ? readThreadCursor(body.cursor) : undefined },
      );
      const page = threads.slice(0, limit);
      const feedback = await feedbackOfThreads(
        deps,
        callerOf(ctx).tenant_id,
        [body.project_id],
        page.map(({ thread_id }) => thread_id),
      );
      return {
        items: page.map((thread) => v2Thread(thread, feedback.get(thread.thread_id))),
        next_cursor: threads.length > limit ? writeThreadCursor(page.at(-1)!) : null,
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v2/threads/{thread_id}/traces',
    operationId: 'listThreadTracesV2',
    tags,
    summary: 'List traces of a thread by start time',
    params: Named,
    query: Type.Object({
      project_id: Uuid,
      filter: optional(Type.String()),
      selects: optional(Type.Array(StringEnum(TRACE_SELECTS))),
      page_size: optional(Type.Integer({ minimum: 1 })),
      cursor: optional(Type.String()),
    }),
    responses: { 200: Items, 406: Detail },
    handle: async ({ ctx, params: { thread_id }, query }) => {
      needJson(ctx);
      const selects = query.selects ?? [];
      const text = new JsonText('{"items":[');
      const next = await readPage(
        deps,
        {
          tenant_id: callerOf(ctx).tenant_id,
          projects: [query.project_id],
          thread: thread_id,
          is_root: true,
          filter: conditionOf(query.filter),
        },
        {
          order: 'asc',
          after: query.cursor ? readCursor(query.cursor) : undefined,
          limit: Math.min(query.page_size ?? MAX_PER_PAGE, MAX_PER_PAGE),
        },
        neededForTrace(selects),
        (view) => text.addItem(runJson(threadTrace(view, selects))),
      );
      return text.add(`],"next_cursor":${next ? JSON.stringify(writeCursor(next)) : 'null'}}`);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v2/threads/{thread_id}/stats',
    operationId: 'readThreadStatsV2',
    tags,
    summary: 'Read counts, times, tokens and costs of a thread',
    params: Named,
    query: Type.Object({
      session_id: Uuid,
      filter: optional(Type.String()),
      selects: optional(Type.Array(StringEnum(THREAD_STATS))),
    }),
    responses: { 200: JsonObject, 406: Detail },
    handle: async ({ ctx, params: { thread_id }, query }) => {
      needJson(ctx);
      const { tenant_id } = callerOf(ctx);
      const projects = [query.session_id];
      const asked = { tenant_id, projects, thread: thread_id, filter: conditionOf(query.filter) };
      const [thread] = await findThreads(deps, asked, { limit: 1 });
      const selects = query.selects ?? THREAD_STATS;
      if (!thread) return threadStats(undefined, selects);
      const [details, feedback] = await Promise.all([
        threadDetails(deps, asked),
        feedbackOfThreads(deps, tenant_id, projects, [thread_id]),
      ]);
      return threadStats({ ...thread, details, feedback: feedback.get(thread_id) ?? {} }, selects);
    },
  }),
];
