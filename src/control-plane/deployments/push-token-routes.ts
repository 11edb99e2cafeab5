import { Type } from 'typebox';
import { BadRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail, Uuid } from '../../platform/schema.ts';
import { principalOf } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Refusals } from '../wire.ts';
import { repositoryOf } from '../registry/pushed-image.ts';
import { issueRegistryToken } from '../registry/registry-token.ts';
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

/**
 * Registry address and credentials for a deployment's image (contract §4.3). Without a registry in the settings, the
 * platform is the registry and the token is valid for this deployment only. Clients that ignore `repository_url`
 * append a name to `registry_url`.
 */
export const pushTokenRoute = ({ config, db, box }: ControlPlaneDeps, prefix: string): Route =>
  defineRoute({
    method: 'post',
    path: `${prefix}/v2/deployments/{deployment_id}/push-token`,
    operationId: 'createPushToken',
    tags: ['Deployments (v2)'],
    summary: 'Get the registry address and credentials for the image of a deployment',
    hidden: prefix !== '',
    params: Type.Object({ deployment_id: Uuid }),
    responses: { 200: PushToken, 400: Detail, ...Refusals },
    async handle({ params: { deployment_id }, ctx }) {
      const deployment = await requireDeployment(db, principalOf(ctx), deployment_id);
      // Clients match these words.
      if (deployment.source !== 'internal_container')
        throw new BadRequest("Push tokens are only available for 'internal_docker' source deployments.");
      const { SLIPWAY_REGISTRY_URL: configured, SLIPWAY_REGISTRY_PASSWORD: password } = config;
      if (configured && !password)
        throw new BadRequest('The registry has no password configured (SLIPWAY_REGISTRY_PASSWORD).');
      const expires_at = Date.now() + config.SLIPWAY_PUSH_TOKEN_SECONDS * 1000;
      const registry_url = repositoryOf(config, deployment);
      return {
        token: configured ? password! : issueRegistryToken(box, { deployment_id, can: 'push', expires_at }),
        registry_url,
        username: config.SLIPWAY_REGISTRY_USERNAME,
        repository_url: `${registry_url}/${slug(deployment.name)}`,
      };
    },
  });
