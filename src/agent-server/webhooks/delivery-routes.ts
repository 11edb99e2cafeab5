import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { reachThread } from '../auth/thread-access.ts';
import { RunNotFound } from '../errors.ts';
import { findRun } from '../records/run-repository.ts';
import { RunPath } from '../runs/run-routes.ts';
import type { Run } from '../records/run.ts';
import { WebhookDelivery } from './delivery.ts';
import { readDelivery, retryDelivery } from './delivery-service.ts';

/** Webhook delivery status, for callers with access to the run. Not part of the SDK. */
export const deliveryRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    method: 'get',
    path: '/threads/{thread_id}/runs/{run_id}/webhook-deliveries',
    operationId: 'listRunWebhookDeliveries',
    tags: ['Thread Runs'],
    summary: 'List the webhook deliveries of a run, of which there is one at most',
    params: RunPath,
    responses: { 200: Type.Array(WebhookDelivery), 404: Detail, 422: Detail },
    async handle({ params: { thread_id, run_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'read', thread_id);
      const delivery = await readDelivery(deps, await requireRun(deps, thread_id, run_id));
      return delivery ? [delivery] : [];
    },
  }),
  defineRoute({
    method: 'post',
    path: '/threads/{thread_id}/runs/{run_id}/webhook-deliveries/{delivery_id}/retry',
    operationId: 'retryRunWebhookDelivery',
    tags: ['Thread Runs'],
    summary: 'Send a waiting webhook now, or retry one that was given up',
    params: Type.Object({ ...RunPath.properties, delivery_id: Uuid }),
    responses: { 202: WebhookDelivery, 404: Detail, 409: Detail, 422: Detail, 503: Detail },
    async handle({ params: { thread_id, run_id, delivery_id }, ctx }) {
      await reachThread(deps, callerOf(ctx), 'update', thread_id, { run_id });
      const run = await requireRun(deps, thread_id, run_id);
      ctx.status = 202;
      return retryDelivery(deps, run, delivery_id);
    },
  }),
];

async function requireRun({ db }: AgentDeps, threadId: string, runId: string): Promise<Run> {
  const run = await findRun(db, threadId, runId);
  if (!run) throw new RunNotFound(runId);
  return run;
}
