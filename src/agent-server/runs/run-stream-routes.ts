import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { reachAsReader } from '../auth/thread-access.ts';
import { RunNotFound } from '../errors.ts';
import { parseLastEventId } from '../events/event-id.ts';
import { STREAM_MODES, type Run, RunCreate } from '../records/run.ts';
import { acceptFollowed, startFollowed } from './followed-run.ts';
import { answerResult, RunStream } from './run-answers.ts';
import { findRun, findRunById } from '../records/run-repository.ts';
import { locate, originOf, RunPath, ThreadPath } from './run-routes.ts';
import { newRunRequest } from './run-plan.ts';
import { passesModes } from './stream-filter.ts';
import type { Context } from 'koa';

const EVENTS = { description: 'Server-sent events', content: 'text/event-stream' };

const JoinQuery = Type.Object({
  stream_mode: Type.Optional(Type.Array(StringEnum(STREAM_MODES))),
  cancel_on_disconnect: Type.Optional(Type.Boolean()),
});

export const runStreamRoutes = (deps: AgentDeps): Route[] => {
  const stream = async (ctx: Context, threadId: string | undefined, create: RunCreate) => {
    const request = newRunRequest(threadId, originOf(ctx));
    const answer = new RunStream(deps, request, {
      expected: true,
      resumable: create.stream_resumable ?? false,
      cancelOnDisconnect: create.on_disconnect === 'cancel',
    });
    await acceptFollowed(deps, create, request, answer.follower);
    locate(ctx, request, request.threadless, '/stream');
    answer.open(ctx);
  };
  const wait = async (ctx: Context, threadId: string | undefined, create: RunCreate) => {
    const request = newRunRequest(threadId, originOf(ctx));
    const follower = await startFollowed(deps, create, request);
    locate(ctx, request, request.threadless, '/join');
    await answerResult(deps, ctx, request, follower, create.on_disconnect === 'cancel');
  };
  const join = async (
    ctx: Context,
    run: Run,
    query: { stream_mode?: string[]; cancel_on_disconnect?: boolean },
  ) => {
    const after = parseLastEventId(ctx.get('last-event-id') || undefined);
    const answer = new RunStream(deps, run, {
      after,
      resumable: run.kwargs.resumable,
      cancelOnDisconnect: query.cancel_on_disconnect ?? false,
      ...(query.stream_mode && { passes: passesModes(query.stream_mode as (typeof STREAM_MODES)[number][]) }),
    });
    await answer.follower.ready;
    if (after) answer.follower.replay();
    else answer.follower.check();
    answer.open(ctx);
  };

  return [
    defineRoute({
      method: 'post',
      path: '/threads/{thread_id}/runs/stream',
      operationId: 'streamThreadRun',
      tags: ['Thread Runs'],
      summary: 'Create a run and stream its events',
      params: ThreadPath,
      body: RunCreate,
      responses: { 200: EVENTS, 400: Detail, 404: Detail, 409: Detail, 422: Detail },
      handle: ({ params, body, ctx }) => stream(ctx, params.thread_id, body),
    }),
    defineRoute({
      method: 'post',
      path: '/threads/{thread_id}/runs/wait',
      operationId: 'waitThreadRun',
      tags: ['Thread Runs'],
      summary: 'Create a run and wait for its result',
      params: ThreadPath,
      body: RunCreate,
      responses: { 200: JsonObject, 400: Detail, 404: Detail, 409: Detail, 422: Detail },
      handle: ({ params, body, ctx }) => wait(ctx, params.thread_id, body),
    }),
    defineRoute({
      method: 'get',
      path: '/threads/{thread_id}/runs/{run_id}/stream',
      operationId: 'joinThreadRunStream',
      tags: ['Thread Runs'],
      summary: 'Stream the events of a run that exists',
      params: RunPath,
      query: JoinQuery,
      responses: { 200: EVENTS, 404: Detail, 422: Detail },
      async handle({ params: { thread_id, run_id }, query, ctx }) {
        await reachAsReader(deps, callerOf(ctx), thread_id, query);
        const run = await findRun(deps.db, thread_id, run_id);
        if (!run) throw new RunNotFound(run_id);
        await join(ctx, run, query);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/runs/stream',
      operationId: 'streamRun',
      tags: ['Stateless Runs'],
      summary: 'Create a run without a thread and stream its events',
      body: RunCreate,
      responses: { 200: EVENTS, 400: Detail, 404: Detail, 422: Detail },
      handle: ({ body, ctx }) => stream(ctx, undefined, body),
    }),
    defineRoute({
      method: 'post',
      path: '/runs/wait',
      operationId: 'waitRun',
      tags: ['Stateless Runs'],
      summary: 'Create a run without a thread and wait for its result',
      body: RunCreate,
      responses: { 200: JsonObject, 400: Detail, 404: Detail, 422: Detail },
      handle: ({ body, ctx }) => wait(ctx, undefined, body),
    }),
    defineRoute({
      method: 'get',
      path: '/runs/{run_id}/stream',
      operationId: 'joinRunStream',
      tags: ['Stateless Runs'],
      summary: 'Stream the events of a run without a thread',
      params: Type.Object({ run_id: Uuid }),
      query: JoinQuery,
      responses: { 200: EVENTS, 404: Detail, 422: Detail },
      async handle({ params: { run_id }, query, ctx }) {
        const run = await findRunById(deps.db, run_id);
        if (!run) throw new RunNotFound(run_id);
        await reachAsReader(deps, callerOf(ctx), run.thread_id, query);
        await join(ctx, run, query);
      },
    }),
  ];
};
