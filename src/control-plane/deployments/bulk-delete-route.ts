import { Type } from 'typebox';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { DeploymentNotFound } from '../errors.ts';
import { Refusals } from '../wire.ts';
import { removeDeployment } from './deployment-service.ts';

const MOST_DELETED = 100;

/** Result per deployment, with the reason if it was not deleted. */
const Deleted = Type.Object({
  resources: Type.Array(
    Type.Object({ id: Uuid, deleted: Type.Boolean(), detail: Type.Optional(Type.String()) }),
  ),
});

/** 200 when all are deleted, 207 when some are, 404 when none exists (contract §1.1). */
export const bulkDeleteRoute = (deps: ControlPlaneDeps, prefix: string): Route =>
  defineRoute({
    tags: ['Deployments (v2)'],
    hidden: prefix !== '',
    method: 'delete',
    path: `${prefix}/v2/deployments`,
    operationId: 'deleteDeployments',
    summary: 'Delete several deployments',
    query: Type.Object({ deployment_ids: Type.Array(Uuid, { minItems: 1, maxItems: MOST_DELETED }) }),
    responses: { 200: Deleted, 207: Deleted, ...Refusals },
    async handle({ query, ctx }) {
      const outcomes = await Promise.all(
        [...new Set(query.deployment_ids)].map(async (id) => {
          try {
            await removeDeployment(deps, principalOf(ctx), id);
            return { id, deleted: true };
          } catch (error) {
            if (error instanceof DeploymentNotFound) return { id, deleted: false, detail: error.message };
            throw error;
          }
        }),
      );
      if (!outcomes.some(({ deleted }) => deleted)) throw new DeploymentNotFound(outcomes[0]!.id);
      ctx.status = outcomes.every(({ deleted }) => deleted) ? 200 : 207;
      return { resources: outcomes };
    },
  });
