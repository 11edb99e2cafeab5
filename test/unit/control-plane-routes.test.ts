import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Context } from 'koa';
import { Registry } from 'prom-client';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import { controlPlaneRoutes } from '../../src/control-plane/control-plane-routes.ts';
import { servedRoutes } from '../../src/control-plane/control-plane-server.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { openapi } from '../../src/platform/http/openapi.ts';

const deps = { config: {} } as ControlPlaneDeps;
const routes = controlPlaneRoutes(deps);

test('no two operations share a path or an id', () => {
  const addresses = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(new Set(addresses).size).toBe(addresses.length);
  const names = routes.filter(({ hidden }) => !hidden).map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
});

test('all routes but our own extensions are also on the clients’ mount', () => {
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
    'signInByLink',
    'signOut',
    'upload',
    'verifyChanges',
  ]);
});

test('the OpenAPI document has each operation once, and the limits of the revision list', () => {
  const document = openapi(routes, { title: 'x', version: '0', description: '' }) as any;
  expect(Object.keys(document.paths).some((path) => path.startsWith('/api-host'))).toBe(false);
  const { parameters, responses } = document.paths['/v2/deployments/{deployment_id}/revisions'].get;
  const limit = parameters.find(({ name }: { name: string }) => name === 'limit');
  expect(limit).toMatchObject({ required: false, schema: { minimum: 1, maximum: 100, default: 20 } });
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '404', '422']));
});

test('the OpenAPI document has the three security schemes, read-only fields and all statuses', async () => {
  const { version } = JSON.parse(await readFile(new URL('package.json', packageRoot), 'utf8'));
  const served = servedRoutes(deps, { metrics: new Registry(), version });
  const ctx = {} as Context;
  await served.find(({ operationId }) => operationId === 'openapi')!.handle({ ctx } as never);
  const json = JSON.parse(ctx.body as string);
  expect(json.info.version).toBe('0.1.0');
  expect(json.components.securitySchemes).toMatchObject({
    'API Key': { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    'Tenant ID': { type: 'apiKey', in: 'header' },
    'Bearer Auth': { type: 'http', scheme: 'bearer' },
  });
  expect(json.security).toEqual([{ 'API Key': [] }, { 'Tenant ID': [] }, { 'Bearer Auth': [] }]);
  const { get: list } = json.paths['/v2/deployments/{deployment_id}/revisions'];
  expect(list.tags).toEqual(['Deployments (v2)']);
  const answer = list.responses['200'].content['application/json'].schema;
  expect(answer.required.sort()).toEqual(['offset', 'resources']);
  const { required, properties } = answer.properties.resources.items;
  const whole = ['id', 'created_at', 'updated_at', 'status', 'source', 'source_revision_config'];
  expect(required).toEqual(expect.arrayContaining(whole));
  for (const name of ['id', 'created_at', 'updated_at', 'status'])
    expect([name, properties[name].readOnly]).toEqual([name, true]);
  expect(properties.status.enum.toSorted()).toEqual(
    (
      'AWAITING_BUILD AWAITING_DEPLOY BUILDING BUILD_FAILED CREATE_FAILED CREATING DEPLOYED DEPLOYING DEPLOY_FAILED ' +
      'INTERRUPTED QUEUED SKIPPED UNKNOWN'
    ).split(' '),
  );
  expect(properties.source.enum).toEqual(
    expect.arrayContaining(['git_host', 'external_container', 'internal_container']),
  );
  const { source_revision_config: config } = properties;
  expect(config.required ?? []).toEqual([]);
  expect(Object.keys(config.properties)).toEqual(
    expect.arrayContaining(['repo_ref', 'graph_config_path', 'image_uri', 'repo_commit_sha']),
  );
  expect(config.properties.repo_commit_sha.readOnly).toBe(true);
});
