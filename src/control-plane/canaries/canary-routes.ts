import { type Static, Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { StringEnum, Uuid } from '../../platform/schema.ts';
import { type Principal, principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { listTraffic } from '../gateway/traffic-repository.ts';
import { Refusals } from '../wire.ts';
import { Canary, CANARY_ACTIONS } from '../records/canary.ts';
import { figuresView } from './canary-figures.ts';
import { requireCanary, steerCanary } from './canary-service.ts';

/** A canary's figures, and how to steer it. */
export const canaryRoutes = (deps: ControlPlaneDeps): Route[] => {
  const route = {
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/canary',
    tags: ['Deployments (v2)'],
    params: Type.Object({ deployment_id: Uuid, revision_id: Uuid }),
    responses: { 200: Canary, ...Refusals },
  };
  const view = async (principal: Principal, named: { deployment_id: string; revision_id: string }) => {
    const { canary, figures } = await requireCanary(deps, principal, named);
    const { deployment_id, revision_id, plan, seen: _seen, by_hand: _byHand, ...shown } = canary;
    const shares = await listTraffic(deps.db, deployment_id);
    const percent = shares.find((share) => share.revision_id === revision_id)?.percent ?? 0;
    return {
      ...shown,
      ...plan,
      revision_id,
      percent,
      figures: figures.map(figuresView),
    } satisfies Static<typeof Canary>;
  };
  return [
    defineRoute({
      ...route,
      method: 'get',
      operationId: 'getCanary',
      summary: 'Compare a canary with the active revision',
      handle: ({ params, ctx }) => view(principalOf(ctx), params),
    }),
    defineRoute({
      ...route,
      method: 'post',
      operationId: 'steerCanary',
      summary: 'Promote, abort, pause or resume a canary, or approve its current step',
      body: Type.Object({ action: StringEnum(CANARY_ACTIONS) }),
      async handle({ params, body: { action }, ctx }) {
        await steerCanary(deps, principalOf(ctx), params, action);
        return view(principalOf(ctx), params);
      },
    }),
  ];
};
