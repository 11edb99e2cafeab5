import { expect, test } from '@jest/globals';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { controlPlaneRoutes } from '../../src/control-plane/control-plane-routes.ts';
import { openapi } from '../../src/platform/http/openapi.ts';

const routes = controlPlaneRoutes({ config: {} } as ControlPlaneDeps);

test('no two operations have one address, or one name', () => {
  const addresses = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(addresses).size).toBe(addresses.length);
  const names = routes.filter(({ hidden }) => !hidden).map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

test('everything but what is ours alone is on the mount of the clients too', () => {
  const paths = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const alone = routes
    .filter(({ method, path }) => !path.startsWith('/api-host') && !paths.has(`${method} /api-host${path}`))
    .map(({ operationId }) => operationId);
  expect(alone.sort()).toEqual([
    'beginOidcSignIn',
    'completeOidcSignIn',
    'createApiKey',
    'createIntegration',
    'deleteIntegration',
    'followLogs',
    'getArtifact',
    'getIntegration',
    'getLimits',
    'getSession',
    'getTimeline',
    'listApiKeys',
    'listChanges',
    'listDeploymentHealth',
    'listIntegrations',
    'listSessions',
    'listSignInMethods',
    'patchIntegration',
    'receiveGitEvent',
    'revokeApiKey',
    'revokeSession',
    'rotateWebhookSecret',
    'signIn',
    'signOut',
    'upload',
    'verifyChanges',
  ]);
});

test('the description names each operation once, with the bounds of the list of revisions', () => {
  const document = openapi(routes, { title: 'x', version: '0', description: '' }) as any;
  expect(Object.keys(document.paths).some((path) => path.startsWith('/api-host'))).toBe(false);
  const { parameters, responses } = document.paths['/v2/deployments/{deployment_id}/revisions'].get;
  const limit = parameters.find(({ name }: { name: string }) => name === 'limit');
  expect(limit).toMatchObject({ required: false, schema: { minimum: 1, maximum: 100, default: 20 } });
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '404', '422']));
});
