import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let one: PlatformProcess;
let other: PlatformProcess;
beforeAll(async () => {
  // Windows that must outlast their test are long.
  const overrides = { run: '4/600', multipart: '2/2', public: '3/600', batch: '1/10' };
  const env = {
    SLIPWAY_RATE_LIMITS: 'hosted',
    SLIPWAY_RATE_LIMIT_OVERRIDES: JSON.stringify(overrides),
    SLIPWAY_TRUSTED_PROXIES: '127.0.0.0/8',
  };
  one = await platform.start('api', env);
  other = await platform.start('api', env);
});

const from = (address: string, more: Record<string, string> = {}) => ({
  'x-forwarded-for': address,
  ...more,
});

test('counts slow limits across processes and path spellings', async () => {
  const path = `/runs/${randomUUID()}`;
  const statuses: number[] = [];
  for (const [process, prefix] of [
    [one, ''],
    [other, '/api/v1'],
    [one, '/api'],
    [other, ''],
  ] as const)
    statuses.push((await ask(process.url, 'GET', prefix + path)).status);
  expect(statuses).toEqual([404, 404, 404, 404]);
  for (const { url } of [one, other]) {
    const { status, json, headers } = await ask(url, 'GET', `${path}/`);
    expect({ status, json }).toEqual({
      status: 429,
      json: { detail: expect.stringContaining('More than 4 requests in 600 s') },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(headers.get('ratelimit-policy')).toBe('"run";q=4;w=600');
    expect(headers.get('ratelimit')).toMatch(/^"run";r=0;t=\d+$/);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
  }
  const { rows } = await platform.db.query<{ key: string }>('select key from tracing.rate_limit');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(API_KEY);
});

test("lists all limits with the caller's remaining requests", async () => {
  const { json } = await ask(other.url, 'GET', '/api/v1/platform/rate-limits');
  const rows = new Map((json as { id: string }[]).map((row) => [row.id, row]));
  expect(rows.get('run')).toMatchObject({ count: 4, interval: 600, remaining: 0, identity: 'key' });
  expect(rows.get('open')).toMatchObject({ count: 2000, identity: 'ip' });
  expect(rows.has('query-user')).toBe(false);
});

test('the health check answers without a key below every endpoint', async () => {
  for (const prefix of ['', '/api', '/api/v1']) {
    const path = `${one.url}${prefix}/ok`;
    const answer = await fetch(path, { headers: from('203.0.113.9') });
    expect([path, answer.status, await answer.json()]).toEqual([path, 200, { ok: true }]);
  }
});

test('successful responses report the remaining requests', async () => {
  const { headers } = await ask(one.url, 'GET', '/info');
  expect(headers.get('ratelimit')).toMatch(/^"open";r=\d+;t=\d+$/);
  expect(headers.get('x-ratelimit-limit')).toBe('2000');
});

test('invalid keys count by address and create no buckets', async () => {
  const guess = (address: string) =>
    ask(one.url, 'GET', '/runs/x', undefined, from(address, { 'x-api-key': randomUUID() }));
  const statuses: number[] = [];
  for (let times = 0; times < 4; times++) statuses.push((await guess('203.0.113.1')).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await guess('203.0.113.2')).status).toBe(401);
  // An authenticated key is not affected by its neighbours.
  const known = await ask(
    one.url,
    'GET',
    '/sessions-x',
    undefined,
    from('203.0.113.1', { 'x-api-key': API_KEY }),
  );
  expect(known.status).not.toBe(429);
});

test('control-plane and health requests use the default row', async () => {
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await ask(one.url, 'GET', path, undefined, headers)).status;
  for (const path of ['/ok', '/v2/sign-in', '/ok'])
    expect(await statusOf(path, from('203.0.113.3'))).toBe(200);
  expect(await statusOf('/ok', from('203.0.113.3'))).toBe(429);
  expect(await statusOf('/v2/deployments', from('203.0.113.3', { 'x-api-key': API_KEY }))).toBe(200);
  const { headers } = await ask(one.url, 'GET', '/v2/deployments');
  expect(headers.get('ratelimit-policy')).toBe('"key";q=1000;w=10');
  const triggered = await ask(one.url, 'POST', '/v2/deployments/trigger', {});
  expect(triggered.headers.get('ratelimit-policy')).toBe('"deletion-key";q=10;w=60');
});

test('a console session counts as a user', async () => {
  const ours = { 'x-slipway-console': '1' };
  const { headers } = await ask(
    one.url,
    'POST',
    '/v2/sign-in',
    { api_key: API_KEY },
    from('203.0.113.4', ours),
  );
  const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
  const asked = await ask(one.url, 'POST', '/runs/query', {}, from('203.0.113.4', { ...ours, cookie }));
  expect(asked.headers.get('ratelimit-policy')).toBe('"query-user";q=300;w=10');
  const listed = await ask(
    one.url,
    'GET',
    '/v2/deployments',
    undefined,
    from('203.0.113.4', { ...ours, cookie }),
  );
  expect(listed.headers.get('ratelimit-policy')).toBe('"user";q=1000;w=10');
});

test('rejects requests over the limit before their body arrives and keeps the connection', async () => {
  expect((await ask(one.url, 'POST', '/runs/batch', { post: [], patch: [] })).status).toBe(202);
  // Ingest windows are limited to ten seconds, so extend them here.
  const { rowCount } = await platform.db.query(
    `update tracing.rate_limit set expire = expire + 600000 where key like 'batch:%'`,
  );
  expect(rowCount).toBe(1);
  const { hostname, port } = new URL(one.url);
  const sent = request({
    hostname,
    port,
    path: '/runs/batch',
    method: 'POST',
    headers: { 'x-api-key': API_KEY },
  });
  sent.write('{');
  const status = await new Promise((resolve, reject) => {
    sent.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
  });
  expect(status).toBe(429);
  await new Promise((resolve) => sent.end(Buffer.alloc(4_000_000), () => resolve(undefined)));
});

test('the SDK honours Retry-After and loses nothing', async () => {
  let refused = 0;
  const fetchImplementation: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    if (response.status === 429) refused++;
    return response;
  };
  const client = new Client({ apiUrl: one.url, apiKey: API_KEY, batchSizeLimit: 2, fetchImplementation });
  const ids = Array.from({ length: 12 }, () => randomUUID());
  for (const id of ids)
    await client.createRun({
      id,
      trace_id: id,
      dotted_order: `20250101T000000000000Z${id}`,
      name: 'limited',
      run_type: 'chain',
      inputs: {},
    });
  await client.awaitPendingTraceBatches();
  const { rows } = await platform.db.query('select id from tracing.run where id = any($1)', [ids]);
  expect(rows).toHaveLength(12);
  expect(refused).toBeGreaterThan(0);
});
