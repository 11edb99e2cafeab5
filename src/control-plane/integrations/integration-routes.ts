import { Type } from 'typebox';
import { NotFound } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import { listIntegrations } from './integration-repository.ts';
import { type Integration, readIntegrations } from './integrations.ts';

const Installation = Type.Object({ id: Uuid, installation_id: Type.Integer(), name: Type.String() });
const Repository = Type.Object({
  host_integration_id: Uuid,
  id: Type.Integer(),
  name: Type.String(),
  owner: Type.String(),
  url: Type.String(),
  default_branch: Type.String(),
});

/** Git hosts and repositories to choose from (contract §1.3): those in the settings, then the workspace's own. */
export const integrationRoutes = ({ config, db }: ControlPlaneDeps, prefix: string): Route[] => {
  const all = readIntegrations(config.SLIPWAY_INTEGRATIONS);
  const of = async (tenantId: string): Promise<Integration[]> => [
    ...all.filter(({ tenant_id = tenantId }) => tenant_id === tenantId),
    ...(await listIntegrations(db, tenantId)).map((own, index) => ({
      ...own,
      installation_id: all.length + index + 1,
    })),
  ];
  return ['github', 'forge/github'].flatMap((host) => {
    const path = `${prefix}/v1/integrations/${host}`;
    const route = { method: 'get', tags: ['Integrations (v1)'] } as const;
    const hidden = prefix !== '' || host !== 'github';
    const suffix = host === 'github' ? '' : 'Forge';
    return [
      defineRoute({
        ...route,
        hidden,
        path: `${path}/install`,
        operationId: `listInstallations${suffix}`,
        summary: 'List the git hosts of the workspace',
        responses: { 200: Type.Array(Installation), ...Refusals },
        handle: async ({ ctx }) =>
          (await of(principalOf(ctx).tenant_id)).map(({ id, installation_id, name }) => ({
            id,
            installation_id,
            name,
          })),
      }),
      defineRoute({
        ...route,
        hidden,
        path: `${path}/{integration_id}/repos`,
        operationId: `listRepositories${suffix}`,
        summary: 'List the repositories of a git host',
        params: Type.Object({ integration_id: Uuid }),
        responses: { 200: Type.Array(Repository), ...Refusals },
        async handle({ params: { integration_id }, ctx }) {
          const found = (await of(principalOf(ctx).tenant_id)).find(({ id }) => id === integration_id);
          if (!found) throw new NotFound(`Integration ID ${integration_id} not found.`);
          return found.repositories.map((repository, index) => ({
            host_integration_id: integration_id,
            id: index + 1,
            ...repository,
          }));
        },
      }),
    ];
  });
};
