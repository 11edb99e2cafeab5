import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Timestamp, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { followLines } from './log-follow.ts';
import { Refusals } from '../wire.ts';
import { REVISION_STATUSES } from '../records/revision-lifecycle.ts';
import { listSteps } from '../records/revision-repository.ts';
import { requireRevision } from '../revisions/revision-service.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Path = Type.Object({ deployment_id: Uuid, revision_id: Uuid });

const Timeline = Type.Object({
  /** Creator and reason. */
  created_by: Text,
  reason: Type.String(),
  steps: Type.Array(
    Type.Object({
      status: StringEnum(REVISION_STATUSES),
      message: Text,
      at: Timestamp,
      /** Time until the next step; null for the current one. */
      duration_ms: Type.Union([Type.Number(), Type.Null()]),
    }),
  ),
});

/** Extensions: a revision's timeline, and its logs as a stream. */
export const timelineRoutes = (deps: ControlPlaneDeps): Route[] => {
  const path = '/v2/deployments/{deployment_id}/revisions/{revision_id}';
  return [
    defineRoute({
      method: 'get',
      path: `${path}/timeline`,
      operationId: 'getTimeline',
      tags: ['Deployments (v2)'],
      summary: 'List the steps of a revision and how long each took',
      params: Path,
      responses: { 200: Timeline, ...Refusals },
      async handle({ params: { deployment_id, revision_id }, ctx }) {
        const revision = await requireRevision(deps, principalOf(ctx), deployment_id, revision_id);
        const { created_by, reason } = revision;
        const steps = await listSteps(deps.db, revision_id);
        const times = steps.map(({ at }) => Date.parse(at));
        return {
          created_by,
          reason,
          steps: steps.map((step, index) => ({
            ...step,
            duration_ms: index + 1 < times.length ? times[index + 1]! - times[index]! : null,
          })),
        };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/logs/stream`,
      operationId: 'followLogs',
      tags: ['Logs'],
      summary: 'Stream the logs of a revision as server-sent events',
      params: Path,
      query: Type.Object({ phase: StringEnum(['build', 'deploy'], { default: 'build' }) }),
      responses: { 200: { description: 'Lines as they come', content: 'text/event-stream' }, ...Refusals },
      async handle({ params: { deployment_id, revision_id }, query: { phase }, ctx }) {
        await requireRevision(deps, principalOf(ctx), deployment_id, revision_id);
        const after = /^\d{1,18}$/.exec(ctx.get('last-event-id'))?.[0];
        await followLines(ctx, deps.db, { phase, deployment_id, revision_id, after });
      },
    }),
  ];
};
