import { Type } from 'typebox';
import { paginate } from '../../platform/http/pagination.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { CronNotFound } from '../errors.ts';
import { Run } from '../records/run.ts';
import {
  Cron,
  CRON_FIELDS,
  CronCount,
  CronCreate,
  CronPatch,
  CronPath,
  CronSearch,
  CronTrigger,
} from '../records/cron.ts';
import { findable } from './cron-access.ts';
import { followPauses } from './cron-pauses.ts';
import { countCrons, findCron, searchCrons } from '../records/cron-repository.ts';
import { createCron, patchCron, removeCron } from './cron-service.ts';
import { triggerCron } from './cron-trigger.ts';

const route = { tags: ['Crons'] };
const created = { 200: Cron, 400: Detail, 404: Detail, 422: Detail };

export function cronRoutes(deps: AgentDeps): Route[] {
  const upToDate = followPauses(deps);
  return [
    defineRoute({
      ...route,
      method: 'post',
      path: '/runs/crons',
      operationId: 'createCron',
      summary: 'Create a cron whose runs have a thread of their own each',
      body: CronCreate,
      responses: created,
      handle: ({ body, ctx }) => createCron(deps, callerOf(ctx), body),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: '/threads/{thread_id}/runs/crons',
      operationId: 'createThreadCron',
      summary: 'Create a cron that runs on a thread',
      params: Type.Object({ thread_id: Uuid }),
      body: CronCreate,
      responses: created,
      handle: ({ params, body, ctx }) => createCron(deps, callerOf(ctx), body, params.thread_id),
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: '/runs/crons/search',
      operationId: 'searchCrons',
      summary: 'Search crons',
      body: CronSearch,
      responses: { 200: Type.Array(Type.Partial(Cron)), 422: Detail },
      async handle({ body, ctx }) {
        const access = await findable(deps, callerOf(ctx), body);
        await upToDate();
        return paginate(ctx, body, await searchCrons(deps.db, body, access));
      },
    }),
    defineRoute({
      ...route,
      method: 'post',
      path: '/runs/crons/count',
      operationId: 'countCrons',
      summary: 'Count crons',
      body: CronCount,
      responses: { 200: Type.Integer(), 422: Detail },
      async handle({ body, ctx }) {
        const access = await findable(deps, callerOf(ctx), body);
        await upToDate();
        return countCrons(deps.db, body, access);
      },
    }),
    ...oneCronRoutes(deps, upToDate, '/runs/crons/{cron_id}', 'Cron'),
    ...oneCronRoutes(deps, upToDate, '/crons/{cron_id}', 'CronById'),
  ];
}

/** Defines the routes under both paths that clients use. */
const oneCronRoutes = (
  deps: AgentDeps,
  upToDate: () => Promise<void>,
  path: string,
  name: string,
): Route[] => [
  defineRoute({
    ...route,
    method: 'get',
    path,
    operationId: `get${name}`,
    summary: 'Get a cron',
    params: CronPath,
    responses: { 200: Cron, 404: Detail, 422: Detail },
    async handle({ params: { cron_id }, ctx }) {
      const filter = await deps.access.authorize(callerOf(ctx), 'crons', 'read', { cron_id });
      await upToDate();
      const cron = await findCron(deps.db, cron_id, filter);
      if (!cron) throw new CronNotFound(cron_id);
      return Object.fromEntries(CRON_FIELDS.map((field) => [field, cron[field]]));
    },
  }),
  defineRoute({
    ...route,
    method: 'patch',
    path,
    operationId: `patch${name}`,
    summary: 'Change a cron',
    params: CronPath,
    body: CronPatch,
    responses: created,
    handle: ({ params: { cron_id }, body, ctx }) => patchCron(deps, callerOf(ctx), cron_id, body),
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: `${path}/trigger`,
    operationId: `trigger${name}`,
    summary: 'Start a run of a cron now, without changing its schedule',
    params: CronPath,
    body: CronTrigger,
    responses: { 200: Run, 404: Detail, 409: Detail, 422: Detail, 503: Detail },
    handle: ({ params: { cron_id }, body, ctx }) => triggerCron(deps, callerOf(ctx), cron_id, body),
  }),
  defineRoute({
    ...route,
    method: 'delete',
    path,
    operationId: `delete${name}`,
    summary: 'Delete a cron',
    params: CronPath,
    responses: { 204: { description: 'Deleted' }, 404: Detail, 422: Detail },
    handle: ({ params: { cron_id }, ctx }) => removeCron(deps, callerOf(ctx), cron_id),
  }),
];
