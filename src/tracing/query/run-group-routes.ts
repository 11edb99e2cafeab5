import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { JsonObject, Uuid } from '../../platform/schema.ts';
import { callerOf } from '../caller.ts';
import type { QueryDeps } from './find-runs.ts';
import { conditionOf, timeOf } from './run-query-body.ts';
import { feedbackOfThreads } from './feedback-of-runs.ts';
import { findThreads } from './threads.ts';

const MAX_GROUPS = 100;
const optional = Type.Optional;
const Time = Type.Union([Type.String(), Type.Number()]);

export const runGroupRoutes = (deps: QueryDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/runs/group',
    operationId: 'groupRuns',
    tags: ['Runs'],
    summary: 'List threads',
    body: Type.Object({
      session_id: Uuid,
      group_by: optional(Type.String()),
      filter: optional(Type.String()),
      start_time: optional(Time),
      end_time: optional(Time),
      limit: optional(Type.Integer({ minimum: 1 })),
      offset: optional(Type.Integer({ minimum: 0 })),
    }),
    responses: { 200: Type.Object({ groups: Type.Array(JsonObject), total: Type.Integer() }) },
    handle: async ({ ctx, body }) => {
      const threads = await findThreads(
        deps,
        {
          tenant_id: callerOf(ctx).tenant_id,
          projects: [body.session_id],
          filter: conditionOf(body.filter),
          from: timeOf(body.start_time, 'body.start_time'),
          until: timeOf(body.end_time, 'body.end_time'),
        },
        { limit: Math.min(body.limit ?? MAX_GROUPS, MAX_GROUPS), offset: body.offset ?? 0 },
      );
      const feedback = await feedbackOfThreads(
        deps,
        callerOf(ctx).tenant_id,
        [body.session_id],
        threads.map(({ thread_id }) => thread_id),
      );
      const groups = threads.map((thread) => ({
        group_key: thread.thread_id,
        filter: `eq(thread_id, ${JSON.stringify(thread.thread_id)})`,
        ...thread,
        feedback_stats: feedback.get(thread.thread_id) ?? {},
      }));
      return { groups, total: threads[0]?.total ?? 0 };
    },
  }),
];
