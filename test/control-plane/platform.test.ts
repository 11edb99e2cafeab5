import { stat } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { FIRST_TENANT_ID } from '../../src/control-plane/access/first-api-key.ts';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { until } from '../support/until.ts';
import { ask, API_KEY, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { createDatabase } from '../support/use-database.ts';

const platform = usePlatform({ settings: SWEEP_OFTEN });
let api: PlatformProcess;
let worker: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api', { SLIPWAY_DRIVER: 'docker' });
  worker = await platform.startLocalWorker();
});

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  ask(api.url, method, path, body, headers);
const image = (image_uri: string, more: object = {}) => ({
  name: `agent-${randomUUID()}`,
  source: 'external_container',
  source_revision_config: { image_uri },
  secrets: [{ name: 'TOKEN', value: 'hush' }],
  ...more,
});
const revisionOf = async (id: string, revisionId: string) =>
  (await send('GET', `/v2/deployments/${id}/revisions/${revisionId}`)).json;
const reaches = async (id: string, revisionId: string, status: string) => {
  let revision = { status: '', status_message: '' };
  const isThere = async () => (revision = await revisionOf(id, revisionId)).status === status;
  await until(status, isThere).catch((error: Error) => {
    throw new Error(`${error.message}; it is ${revision.status}: ${revision.status_message}`);
  });
};

test('a deployment is created, deployed, changed, and reachable at one URL throughout', async () => {
  const created = await send('POST', '/v2/deployments', image('registry/agent:1'));
  expect(created).toMatchObject({
    status: 201,
    json: {
      tenant_id: FIRST_TENANT_ID,
      source: 'external_container',
      // If workers are faster than the response, it is already serving.
      status: expect.stringMatching(/^(AWAITING_DATABASE|READY)$/),
      source_config: { build_on_push: false },
      source_revision_config: { image_uri: 'registry/agent:1', repo_ref: null },
      secrets: [{ name: 'TOKEN', value: null }],
    },
  });
  const { id, latest_revision_id: first } = created.json;
  await reaches(id, first, 'DEPLOYED');
  const deployment = (await send('GET', `/v2/deployments/${id}`)).json;
  expect(deployment).toMatchObject({ status: 'READY', active_revision_id: first });
  const health = await send('GET', `/v2/deployment-health?deployment_ids=${id}`);
  expect(health.json.resources).toMatchObject([
    {
      deployment_id: id,
      health: 'serving',
      replicas: { wanted: 1, running: 1, failing: 0 },
      latest_revision: { id: first, number: 1, status: 'DEPLOYED', created_by: 'first key' },
    },
  ]);
  const { deployments } = (await send('GET', '/v2/limits')).json;
  expect(deployments).toEqual({ used: expect.any(Number), limit: 1000 });
  expect(deployment.source_config.custom_url).toBe(`https://agents.example/d/${id}`);

  const answered = await ask(api.url, 'GET', `/d/${id}/info?x=1`);
  expect(answered.headers.get('x-slipway-revision')).toBe(first);
  expect(answered.json).toMatchObject({
    image: 'registry/agent:1',
    path: '/info?x=1',
    environment: [{ name: 'TOKEN', value: 'hush' }],
    headers: { 'x-forwarded-prefix': `/d/${id}` },
  });
  expect(answered.json.headers).not.toHaveProperty('x-api-key');
  expect((await ask(api.url, 'GET', `/d/${id}/info`, undefined, {})).status).toBe(401);

  const body = { source_revision_config: { image_uri: 'registry/agent:2' } };
  const patched = await send('PATCH', `/v2/deployments/${id}`, body);
  expect(patched.status).toBe(200);
  const second = patched.json.latest_revision_id;
  expect(second).not.toBe(first);
  await reaches(id, second, 'DEPLOYED');
  // The gateway is notified a moment later.
  await until(
    'it answers',
    async () => (await ask(api.url, 'GET', `/d/${id}/ok`)).json.image === 'registry/agent:2',
  );
  expect((await ask(api.url, 'GET', `/r/${second}/ok`)).json).toMatchObject({ image: 'registry/agent:2' });

  const list = await send('GET', `/v2/deployments/${id}/revisions?limit=1&status=DEPLOYED`);
  expect(list.json).toMatchObject({ resources: [{ id: second, status: 'DEPLOYED' }], offset: 1 });

  expect((await send('DELETE', `/v2/deployments/${id}`)).status).toBe(204);
  await until('it is gone', async () => (await send('GET', `/v2/deployments/${id}`)).status === 404);
  await until('it does not answer', async () => (await ask(api.url, 'GET', `/d/${id}/ok`)).status === 404);
});

test('an image is refused if the driver cannot run it, with a hint, and nothing is created', async () => {
  const plain = await platform.start('api', { SLIPWAY_DRIVER: 'process' });
  const body = image('agent:1');
  for (const source of ['external_container', 'external_docker', 'internal_container']) {
    const { status, json } = await ask(plain.url, 'POST', '/v2/deployments', { ...body, source });
    expect([source, status]).toEqual([source, 422]);
    expect(JSON.stringify(json.detail)).toContain('needs the docker or kubernetes driver');
  }
  expect((await send('GET', `/v2/deployments?name=${body.name}`)).json.resources).toEqual([]);
});

test('a revision that does not start reports why, and the active one stays', async () => {
  const { json } = await send('POST', '/v2/deployments', image('agent:1'));
  await reaches(json.id, json.latest_revision_id, 'DEPLOYED');
  const body = { source_revision_config: { image_uri: 'broken' } };
  const { latest_revision_id: broken } = (await send('PATCH', `/v2/deployments/${json.id}`, body)).json;
  await reaches(json.id, broken, 'DEPLOY_FAILED');
  expect((await revisionOf(json.id, broken)).status_message).toBe('The image does not start');
  const answered = await ask(api.url, 'GET', `/d/${json.id}/ok`);
  expect(answered.headers.get('x-slipway-revision')).toBe(json.latest_revision_id);
});

test('one revision at a time: the newest is next, superseded ones are skipped, and one in progress can be interrupted', async () => {
  const { json } = await send('POST', '/v2/deployments', image('slow'));
  expect(json.status).toBe('AWAITING_DATABASE');
  await reaches(json.id, json.latest_revision_id, 'DEPLOYING');
  const next = async (image_uri: string) =>
    (await send('PATCH', `/v2/deployments/${json.id}`, { source_revision_config: { image_uri } })).json
      .latest_revision_id as string;
  const skipped = await next('agent:2');
  await reaches(json.id, skipped, 'QUEUED');
  const last = await next('agent:3');
  const path = `/v2/deployments/${json.id}/revisions/${json.latest_revision_id}/interrupt`;
  expect((await send('POST', path)).status).toBe(200);
  await reaches(json.id, json.latest_revision_id, 'INTERRUPTED');
  await reaches(json.id, last, 'DEPLOYED');
  expect((await revisionOf(json.id, skipped)).status).toBe('SKIPPED');
  expect((await send('POST', path)).status).toBe(200);
});

test('401, 403 and 404 have their messages', async () => {
  const detail = expect.any(String);
  for (const headers of [{}, { 'x-api-key': 'nobody has this' }]) {
    expect(await send('GET', '/v2/deployments', undefined, headers)).toMatchObject({
      status: 401,
      json: { detail },
    });
  }
  const other = { 'x-api-key': API_KEY, 'x-tenant-id': randomUUID() };
  expect((await send('GET', '/v2/deployments', undefined, other)).status).toBe(403);
  const viewer = newApiKey();
  await insertApiKey(platform.db, viewer, { tenant_id: FIRST_TENANT_ID, name: 'viewer', role: 'viewer' });
  expect((await send('GET', '/v2/deployments', undefined, { 'x-api-key': viewer })).status).toBe(200);
  expect((await send('POST', '/v2/deployments', image('a'), { 'x-api-key': viewer })).status).toBe(403);
  const everywhere = newApiKey();
  await insertApiKey(platform.db, everywhere, { tenant_id: null, name: 'operator', role: 'admin' });
  const unnamed = await send('GET', '/v2/deployments', undefined, { 'x-api-key': everywhere });
  expect(unnamed.json.detail).toContain('requires workspace specification');

  const id = randomUUID();
  expect(await send('GET', `/v2/deployments/${id}/revisions`)).toMatchObject({
    status: 404,
    json: { detail: `Deployment ID ${id} not found.` },
  });
  const { json: mine } = await send('POST', '/v2/deployments', { name: id, source: 'internal_source' });
  const stranger = { 'x-api-key': everywhere, 'x-tenant-id': randomUUID() };
  expect((await send('GET', `/v2/deployments/${mine.id}`, undefined, stranger)).status).toBe(404);
});

test('every 422 lists its problems', async () => {
  const cases: [string, string, unknown, object][] = [
    ['POST', '/v2/deployments', '{', { loc: ['body'], type: 'json_invalid' }],
    ['POST', '/v2/deployments', '['.repeat(501) + ']'.repeat(501), { loc: ['body'], type: 'value_error' }],
    ['POST', '/v2/deployments', { source: 'git_host' }, { loc: ['body', 'name'], type: 'missing' }],
    ['POST', '/v2/deployments', { ...image('a'), source: 'ftp' }, { loc: ['body', 'source'], type: 'enum' }],
    ['GET', '/v2/deployments?limit=101', undefined, { loc: ['query', 'limit'], type: 'less_than_equal' }],
    ['GET', '/v2/deployments/nothing', undefined, { loc: ['path', 'deployment_id'], type: 'string_format' }],
    ['GET', `/v2/deployments?status=GONE`, undefined, { loc: ['query', 'status'], type: 'enum' }],
  ];
  for (const [method, path, body, fault] of cases) {
    const { status, json } = await send(method, path, body);
    expect({ status, detail: json.detail }).toEqual({
      status: 422,
      detail: [expect.objectContaining({ ...fault, msg: expect.any(String) })],
    });
  }
});

test('traffic is split only between revisions of the same deployment', async () => {
  const { json } = await send('POST', '/v2/deployments', image('agent:1'));
  const { json: other } = await send('POST', '/v2/deployments', image('agent:1'));
  const path = `/v2/deployments/${json.id}/traffic`;
  const put = (...shares: [string, number][]) =>
    send('PUT', path, { canaries: shares.map(([revision_id, percent]) => ({ revision_id, percent })) });
  const mine = json.latest_revision_id;
  expect(await put([mine, 10])).toMatchObject({
    status: 200,
    json: { canaries: [{ revision_id: mine, percent: 10 }] },
  });
  for (const wrong of [
    [[other.latest_revision_id, 10]],
    [
      [mine, 60],
      [mine, 50],
    ],
    [[mine, 101]],
  ] as const)
    expect((await put(...(wrong as unknown as [string, number][]))).status).toBe(422);
  expect((await send('GET', path)).json.canaries).toHaveLength(1);
  expect((await put()).json).toEqual({ canaries: [] });
});

test('the OpenAPI document and pages need no key', async () => {
  const { json } = await send('GET', '/openapi.json', undefined, {});
  expect(Object.keys(json.paths['/v2/deployments/{deployment_id}/revisions'])).toEqual(['get', 'post']);
  expect((await fetch(`${api.url}/docs`)).status).toBe(200);
  expect((await send('GET', '/ok', undefined, {})).json).toEqual({ ok: true });
});

test('a revision whose worker is killed during its start is started by another', async () => {
  const { json } = await send('POST', '/v2/deployments', image('hangs-once'));
  await reaches(json.id, json.latest_revision_id, 'DEPLOYING');
  await until('the worker that hangs', async () => worker.logs().includes('hangs'));
  await worker.end('SIGKILL');
  await platform.startLocalWorker({ HANGS: 'no' });
  await reaches(json.id, json.latest_revision_id, 'DEPLOYED');
  expect((await ask(api.url, 'GET', `/d/${json.id}/ok`)).json).toMatchObject({ image: 'hangs-once' });
});

test('a revision accepted by a killed API is deployed by the next, even if Temporal never received it', async () => {
  const doomed = await platform.start('api', { SLIPWAY_DRIVER: 'docker' });
  const { json } = await ask(doomed.url, 'POST', '/v2/deployments', image('slow'));
  await reaches(json.id, json.latest_revision_id, 'DEPLOYING');
  // Queued behind the slow one; then its queue is lost together with the API.
  const body = { source_revision_config: { image_uri: 'agent:2' } };
  const { latest_revision_id: lost } = (await ask(doomed.url, 'PATCH', `/v2/deployments/${json.id}`, body))
    .json;
  await doomed.end('SIGKILL');
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const temporal = new TemporalClient({ connection });
  await temporal.workflow.getHandle(`deployment/${json.id}`).terminate('as if it had never been told');
  await reaches(json.id, json.latest_revision_id, 'INTERRUPTED');
  await reaches(json.id, lost, 'DEPLOYED');

  // A removal that was recorded without signalling its workflow.
  await platform.db.query(
    `update control_plane.deployment set status = 'AWAITING_DELETE', updated_at = now() - interval '1 minute'
     where id = $1`,
    [json.id],
  );
  await until('it is gone', async () => (await send('GET', `/v2/deployments/${json.id}`)).status === 404);
  await connection.close();
});

test('the first key is created once, printed once, and readable only by its owner', async () => {
  const database = await createDatabase();
  const env = { DATABASE_URL: database.url, SLIPWAY_API_KEY: '', SLIPWAY_PLATFORM: randomUUID() };
  try {
    const first = await platform.start('api', env);
    const key = /shown this once: (\S+)/.exec(first.logs())?.[1];
    const file = join(platform.dataDir, 'api-key');
    expect((await readFile(file, 'utf8')).trim()).toBe(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await ask(first.url, 'GET', '/v2/deployments', undefined, { 'x-api-key': key! })).status).toBe(
      200,
    );
    await first.end();
    const second = await platform.start('api', env);
    expect(second.logs()).not.toContain('shown this once');
    await second.end();
  } finally {
    await database.drop();
  }
});

test('an external database requires a secret key', async () => {
  await expect(platform.start('api', { SLIPWAY_SECRET_KEY: '' })).rejects.toThrow(
    /ended with 2:\nslipway: SLIPWAY_SECRET_KEY is not set/,
  );
});
