import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import { canaryPlan, Figures } from '../records/canary.ts';
import { figuresView } from './canary-figures.ts';
import { listWatchedOf, noteSharesByHand, openCanary } from '../records/canary-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { requireDeployment } from '../deployments/deployment-service.ts';
import { invalidField } from '../errors.ts';
import { Refusals } from '../wire.ts';
import { readFigures } from '../gateway/traffic-figures.ts';
import { listRunning, listTraffic, replaceTraffic } from '../gateway/traffic-repository.ts';

const MOST_CANARIES = 20;
const Traffic = Type.Object({
  canaries: Type.Array(
    Type.Object({ revision_id: Uuid, percent: Type.Integer({ minimum: 1, maximum: 100 }) }),
    { maxItems: MOST_CANARIES },
  ),
});

const TrafficFigures = Type.Object({
  ...Traffic.properties,
  /** Running canaries, including those without a share. */
  watched: Type.Array(Uuid),
  window_seconds: Type.Number(),
  /** Figures of the active revision and of revisions with a share. */
  figures: Type.Array(Figures),
});

/** Shares of a deployment's threads; the active revision has the rest. */
export const trafficRoutes = ({ db, config, workflows }: ControlPlaneDeps): Route[] => {
  const route = {
    path: '/v2/deployments/{deployment_id}/traffic',
    tags: ['Deployments (v2)'],
    params: Type.Object({ deployment_id: Uuid }),
    responses: { 200: Traffic, ...Refusals },
  };
  return [
    defineRoute({
      ...route,
      method: 'get',
      operationId: 'getTraffic',
      summary: 'Get the traffic split of a deployment and the figures of its revisions',
      responses: { 200: TrafficFigures, ...Refusals },
      async handle({ params: { deployment_id }, ctx }) {
        const { active_revision_id } = await requireDeployment(db, principalOf(ctx), deployment_id);
        const canaries = await listTraffic(db, deployment_id);
        const ids = new Set(
          [active_revision_id, ...canaries.map(({ revision_id }) => revision_id)].filter((id) => id !== null),
        );
        const seconds = config.SLIPWAY_CANARY_WINDOW_SECONDS;
        const figures = await readFigures(db, [...ids], { seconds });
        const watched = await listWatchedOf(db, deployment_id);
        return { canaries, watched, figures: figures.map(figuresView), window_seconds: seconds };
      },
    }),
    defineRoute({
      ...route,
      method: 'put',
      operationId: 'putTraffic',
      summary: 'Split the traffic of a deployment; threads keep their revision while shares stay the same',
      body: Traffic,
      async handle({ params: { deployment_id }, body: { canaries }, ctx }) {
        const total = canaries.reduce((sum, { percent }) => sum + percent, 0);
        if (total > 100) throw invalidField(['body', 'canaries'], 'The shares exceed 100 percent');
        if (new Set(canaries.map(({ revision_id }) => revision_id)).size < canaries.length)
          throw invalidField(['body', 'canaries'], 'A revision is listed twice');
        const principal = principalOf(ctx);
        const opened = await inTransaction(db, async (tx) => {
          await requireDeployment(tx, principal, deployment_id, { lock: true });
          const [strange] = await replaceTraffic(tx, deployment_id, canaries);
          if (strange)
            throw invalidField(
              ['body', 'canaries'],
              `Revision ID ${strange} does not belong to this deployment`,
            );
          const running = await listRunning(tx, deployment_id, canaries);
          for (const { revision_id, percent } of running) {
            const plan = canaryPlan({ percent });
            await openCanary(tx, { revision_id, deployment_id, plan });
          }
          await noteSharesByHand(tx, deployment_id);
          const target = `deployment/${deployment_id}`;
          await recordChange(tx, principal, { action: 'putTraffic', target, detail: { canaries } });
          return running;
        });
        // Any revision with a share is watched, and loses it if it performs badly.
        for (const { revision_id } of opened) await workflows.watchCanary({ revision_id, deployment_id });
        return { canaries: await listTraffic(db, deployment_id) };
      },
    }),
  ];
};
