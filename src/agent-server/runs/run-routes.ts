import type { Context } from 'koa';
import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import { PAGE } from '../../platform/http/pagination.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, JsonObject, StringEnum, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { reachAsReader, reachThread } from '../auth/thread-access.ts';
import { NoRunsToCancel, RunNotFound, ThreadNotFound } from '../errors.ts';
import { followRun } from './run-follower.ts';
import { threadExists } from '../records/thread-repository.ts';
import { Run, RUN_FIELDS, RunCreate, RunStatus, TERMINAL } from '../records/run.ts';
import { answerResult } from './run-answers.ts';
import { cancelRun, stopRuns } from './run-cancellation.ts';
import { removeRun } from './run-removal.ts';
import { listInFlight } from '../records/in-flight-repository.ts';
import { findRun, listRuns } from '../records/run-repository.ts';
import { newRunRequest, type RequestOrigin } from './run-plan.ts';
import { acceptRuns } from './run-batch.ts';
import { acceptRun } from './run-service.ts';

export const ThreadPath = Type.Object({ thread_id: Uuid });
export const RunPath = Type.Object({ thread_id: Uuid, run_id: Uuid });

export const originOf = (ctx: Context): RequestOrigin => ({
  request_id: String(ctx.state['request_id']),
  caller: callerOf(ctx),
});

/** Sets the headers with the run's URL, and where to fetch its result again (contract §5.3); both relative. */
export function locate(
  ctx: Context,
  run: { thread_id: string; run_id: string },
  threadless: boolean,
  end = '',
): void {
  const path = threadless ? `/runs/${run.run_id}` : `/threads/${run.thread_id}/runs/${run.run_id}`;
  ctx.set('content-location', path);
  if (end === '/join') ctx.set('location', `/threads/${run.thread_id}/runs/${run.run_id}/join`);
  else if (end) ctx.set('location', path + end);
}

const CancelQuery = Type.Object({
  wait: Type.Optional(Type.Boolean()),
  // Unknown actions mean `interrupt` (contract §5.6).
  action: Type.Optional(Type.String()),
});
const actionOf = (action: string | undefined) => (action === 'rollback' ? 'rollback' : 'interrupt');

export const runRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/threads/{thread_id}/runs',
    operationId: 'createThreadRun',
    tags: ['Thread Runs'],
    summary: 'Create a run in the background',
    params: ThreadPath,
    body: RunCreate,
    responses: { 200: Run, 400: Detail, 404: Detail, 409: Detail, 422: Detail },
    async handle({ params, body, ctx }) {
      const run = await acceptRun(deps, body, newRunRequest(params.thread_id, originOf(ctx)));
      locate(ctx, run, false);
      return run;
    },
  }),
  defineRoute({
    method: 'get',
    path: '/threads/{thread_id}/runs',
    operationId: 'listThreadRuns',
    tags: ['Thread Runs'],
    summary: 'List the runs of a thread, newest first',
    params: ThreadPath,
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
      offset: PAGE.offset,
      status: Type.Optional(RunStatus),
      select: Type.Optional(Type.Array(StringEnum(RUN_FIELDS))),
    }),
    responses: { 200: Type.Array(Type.Partial(Run)), 404: Detail, 422: Detail },
    async handle({ params: { thread_id }, query, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      const runs = await listRuns(deps.db, thread_id, query);
      if (runs.length === 0 && !(await threadExists(deps.db, thread_id))) throw new ThreadNotFound(thread_id);
      return runs;
    },
  }),
  defineRoute({
    method: 'get',
    path: '/threads/{thread_id}/runs/{run_id}',
    operationId: 'getThreadRun',
    tags: ['Thread Runs'],
    summary: 'Get a run',
    params: RunPath,
    responses: { 200: Run, 404: Detail, 422: Detail },
    async handle({ params: { thread_id, run_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      const run = await findRun(deps.db, thread_id, run_id);
      if (!run) throw new RunNotFound(run_id);
      return run;
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/threads/{thread_id}/runs/{run_id}',
    operationId: 'deleteThreadRun',
    tags: ['Thread Runs'],
    summary: 'Delete a run and its checkpoints; one in flight is stopped first',
    params: RunPath,
    responses: { 204: { description: 'Deleted' }, 404: Detail, 422: Detail },
    async handle({ params: { thread_id, run_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'delete', thread_id, { run_id });
      if (!(await removeRun(deps, thread_id, run_id))) throw new RunNotFound(run_id);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/threads/{thread_id}/runs/{run_id}/cancel',
    operationId: 'cancelThreadRun',
    tags: ['Thread Runs'],
    summary: 'Cancel a run',
    params: RunPath,
    query: CancelQuery,
    responses: {
      200: JsonObject,
      202: { description: 'Cancellation requested' },
      404: Detail,
      409: Detail,
      422: Detail,
    },
    async handle({ params: { thread_id, run_id }, query, ctx }) {
      const action = actionOf(query.action);
      await reachThread(deps, callerOf(ctx), 'update', thread_id, { action });
      const run = await findRun(deps.db, thread_id, run_id);
      if (!run || TERMINAL.has(run.status)) throw new NoRunsToCancel();
      if (query.wait) {
        const follower = followRun(deps, thread_id, run_id);
        await follower.ready;
        locate(ctx, run, false, '/join');
        await cancelRun(deps, run, action);
        follower.replay();
        await answerResult(deps, ctx, run, follower, false);
        return;
      }
      await cancelRun(deps, run, action);
      ctx.status = 202;
      ctx.body = '';
    },
  }),
  defineRoute({
    method: 'get',
    path: '/threads/{thread_id}/runs/{run_id}/join',
    operationId: 'joinThreadRun',
    tags: ['Thread Runs'],
    summary: 'Wait for a run and get its result',
    params: RunPath,
    query: Type.Object({ cancel_on_disconnect: Type.Optional(Type.Boolean()) }),
    responses: { 200: JsonObject, 404: Detail, 422: Detail },
    async handle({ params: { thread_id, run_id }, query, ctx }) {
      await reachAsReader(deps, callerOf(ctx), thread_id, query);
      const run = await findRun(deps.db, thread_id, run_id);
      if (!run) throw new RunNotFound(run_id);
      const follower = followRun(deps, thread_id, run_id);
      await follower.ready;
      follower.replay();
      // Clients reconnect to this URL on their own.
      locate(ctx, run, false, '/join');
      await answerResult(deps, ctx, run, follower, query.cancel_on_disconnect ?? false);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/runs',
    operationId: 'createRun',
    tags: ['Stateless Runs'],
    summary: 'Create a run without a thread, in the background',
    body: RunCreate,
    responses: { 200: Run, 400: Detail, 404: Detail, 422: Detail },
    async handle({ body, ctx }) {
      const run = await acceptRun(deps, body, newRunRequest(undefined, originOf(ctx)));
      locate(ctx, run, true);
      return run;
    },
  }),
  defineRoute({
    method: 'post',
    path: '/runs/batch',
    operationId: 'createRunBatch',
    tags: ['Stateless Runs'],
    summary: 'Create several runs without a thread',
    body: Type.Array(RunCreate, { minItems: 1 }),
    responses: { 200: Type.Array(Run), 400: Detail, 404: Detail, 422: Detail },
    handle: ({ body, ctx }) => acceptRuns(deps, body, originOf(ctx)),
  }),
  defineRoute({
    method: 'post',
    path: '/runs/cancel',
    operationId: 'cancelRuns',
    tags: ['Stateless Runs'],
    summary: 'Cancel runs by state, or by thread and ids',
    query: Type.Object({ action: Type.Optional(Type.String()) }),
    body: Type.Object({
      status: Type.Optional(StringEnum(['pending', 'running', 'all'])),
      thread_id: Type.Optional(Uuid),
      run_ids: Type.Optional(Type.Array(Uuid, { minItems: 1 })),
    }),
    responses: { 204: { description: 'Cancelled' }, 404: Detail, 409: Detail, 422: Detail },
    async handle({ body: { status, thread_id, run_ids }, query, ctx }) {
      const byIds = thread_id !== undefined && run_ids !== undefined;
      if (byIds === (status !== undefined) || (!byIds && (thread_id ?? run_ids) !== undefined)) {
        throw new InvalidRequest('Either status or thread_id with run_ids is required');
      }
      const action = actionOf(query.action);
      const asked = { action, ...(thread_id !== undefined && { thread_id }) };
      const reach = await deps.access.authorize(callerOf(ctx), 'threads', 'update', asked);
      const runs = await listInFlight(
        deps.db,
        byIds ? { thread_id, run_ids } : status === 'all' ? {} : { statuses: [status!] },
        reach,
      );
      if (runs.length === 0) throw new NoRunsToCancel();
      await stopRuns(deps, runs, action);
    },
  }),
];
