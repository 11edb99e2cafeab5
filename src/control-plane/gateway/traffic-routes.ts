import { Type } from 'typebox';
import { inTransaction } from '../../platform/db/database.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../access/principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { requireDeployment } from '../deployments/deployment-service.ts';
import { invalidField } from '../errors.ts';
import { Refusals } from '../wire.ts';
import { listTraffic, replaceTraffic } from './traffic-repository.ts';

const MOST_CANARIES = 20;
const Traffic = Type.Object({
  canaries: Type.Array(
    Type.Object({ revision_id: Uuid, percent: Type.Integer({ minimum: 1, maximum: 100 }) }),
    { maxItems: MOST_CANARIES },
  ),
});

/** Which revisions are tried on a part of a deployment's threads; the one that serves has the rest. */
export const trafficRoutes = ({ db }: ControlPlaneDeps): Route[] => {
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
      summary: 'How the traffic of a deployment is split',
      async handle({ params: { deployment_id }, ctx }) {
        await requireDeployment(db, principalOf(ctx), deployment_id);
        return { canaries: await listTraffic(db, deployment_id) };
      },
    }),
    defineRoute({
      ...route,
      method: 'put',
      operationId: 'putTraffic',
      summary: 'Split the traffic of a deployment; threads stay with their revision while shares stay',
      body: Traffic,
      async handle({ params: { deployment_id }, body: { canaries }, ctx }) {
        const total = canaries.reduce((sum, { percent }) => sum + percent, 0);
        if (total > 100) throw invalidField(['body', 'canaries'], 'All shares together exceed 100 percent');
        if (new Set(canaries.map(({ revision_id }) => revision_id)).size < canaries.length)
          throw invalidField(['body', 'canaries'], 'A revision is named twice');
        return inTransaction(db, async (tx) => {
          await requireDeployment(tx, principalOf(ctx), deployment_id, { lock: true });
          const [strange] = await replaceTraffic(tx, deployment_id, canaries);
          if (strange)
            throw invalidField(['body', 'canaries'], `Revision ID ${strange} is not of this deployment`);
          return { canaries: await listTraffic(tx, deployment_id) };
        });
      },
    }),
  ];
};
