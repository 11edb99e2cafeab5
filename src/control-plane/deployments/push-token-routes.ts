import { Type } from 'typebox';
import { BadRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../access/principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import { requireDeployment } from './deployment-service.ts';

const PushToken = Type.Object({
  token: Type.String(),
  registry_url: Type.String(),
  username: Type.String(),
  repository_url: Type.String(),
});

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/** Where a client pushes the image of a deployment to (contract §4.3): the registry the settings name. */
export const pushTokenRoute = ({ config, db }: ControlPlaneDeps, prefix: string): Route =>
  defineRoute({
    method: 'post',
    path: `${prefix}/v2/deployments/{deployment_id}/push-token`,
    operationId: 'createPushToken',
    tags: ['Deployments (v2)'],
    summary: 'Say where to push the image of a deployment, and with what',
    hidden: prefix !== '',
    params: Type.Object({ deployment_id: Uuid }),
    responses: { 200: PushToken, 400: Detail, ...Refusals },
    async handle({ params: { deployment_id }, ctx }) {
      const { tenant_id } = principalOf(ctx);
      const { source, name } = await requireDeployment(db, { tenant_id }, deployment_id);
      // The field's clients look for these words.
      if (source !== 'internal_container')
        throw new BadRequest("Push tokens are only available for 'internal_docker' source deployments.");
      const { SLIPWAY_REGISTRY_URL: host, SLIPWAY_REGISTRY_PASSWORD: token } = config;
      if (!host || !token)
        throw new BadRequest('This installation has no registry to push to (SLIPWAY_REGISTRY_URL).');
      const registry_url = `${host.replace(/\/$/, '')}/${tenant_id}`;
      const repository_url = `${registry_url}/${slug(name)}`;
      return { token, registry_url, username: config.SLIPWAY_REGISTRY_USERNAME, repository_url };
    },
  });
