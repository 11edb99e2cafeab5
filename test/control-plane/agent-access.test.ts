import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { insertApiKey, newApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { AgentAccess } from '../../src/control-plane/gateway/agent-access.ts';
import type { Role } from '../../src/control-plane/principal.ts';
import { insertSession } from '../../src/control-plane/access/session-repository.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { until } from '../support/until.ts';
import { useGateway } from './gateway-fixture.ts';

const platform = useGateway();
const { upstream, revision, serving } = platform;
const tenant = randomUUID();
const key = async (role: Role, tenant_id: string | null = tenant, expires_at: Date | null = null) => {
  const made = newApiKey();
  await insertApiKey(platform.db, made, { tenant_id, name: `a ${role}`, role, expires_at });
  return made;
};
const session = async (role: Role, tenant_id = tenant) => {
  const grants = [
    { tenant_id: randomUUID(), role: 'admin' as const },
    { tenant_id, role },
  ];
  const { secret } = await insertSession(platform.db, { name: 'ada', grants, seconds: 60, user_agent: null });
  return { cookie: `slipway=${secret}` };
};
const OWN_PAGE = { 'x-slipway-console': '1', 'sec-fetch-site': 'same-origin' };
const RUN = { method: 'POST', path: '/runs/wait' };
const LOOK = { method: 'GET', path: '/threads' };

/** A serving deployment of the tenant, and the requests its agent received. */
async function agent(about: { access?: string; own_auth?: boolean } = {}) {
  const { id, revisionId } = await serving('one');
  await platform.db.query('update control_plane.deployment set tenant_id = $2, access = $3 where id = $1', [
    id,
    tenant,
    about.access ?? 'private',
  ]);
  await platform.db.query('update control_plane.revision set own_auth = $2 where id = $1', [
    revisionId,
    about.own_auth ?? false,
  ]);
  const visit = async (
    { method, path }: { method: string; path: string },
    headers: Record<string, string> = {},
  ) => {
    const { statusCode, body } = await request(`${platform.url}/d/${id}${path}`, {
      method: method as 'GET',
      headers,
      ...(method === 'POST' && { body: '{}' }),
    });
    const text = await body.text();
    return { status: statusCode, json: (text ? JSON.parse(text) : {}) as Record<string, any> };
  };
  const statusOf = async (what: typeof RUN, headers?: Record<string, string>) =>
    (await visit(what, headers)).status;
  return { id, revisionId, visit, statusOf };
}

test('refuses a missing key, and one that is wrong, expired, revoked, of another workspace or for tracing only', async () => {
  const { visit, statusOf } = await agent();
  const revoked = await key('admin');
  const other = randomUUID();
  await platform.db.query(
    'update control_plane.api_key set revoked_at = now() where name = $1 and hash = $2',
    ['a admin', createHash('sha256').update(revoked).digest()],
  );
  const refused: [number, Record<string, string>][] = [
    [401, {}],
    [401, { 'x-api-key': newApiKey() }],
    [401, { authorization: `Bearer ${newApiKey()}` }],
    [401, { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.' }],
    [401, { 'x-api-key': revoked }],
    [401, { 'x-api-key': await key('admin', tenant, new Date(Date.now() - 1_000)) }],
    [401, { cookie: 'slipway=none', ...OWN_PAGE }],
    [403, { 'x-api-key': await key('admin', randomUUID()) }],
    [403, { 'x-api-key': await key('admin'), 'x-tenant-id': randomUUID() }],
    [403, { 'x-api-key': await key('admin', other), 'x-tenant-id': other }],
    [403, { 'x-api-key': await key('admin', null), 'x-tenant-id': other }],
    [403, { ...(await session('admin', other)), ...OWN_PAGE, 'x-tenant-id': other }],
    [403, { 'x-api-key': await key('tracer') }],
    [403, { ...(await session('admin', randomUUID())), ...OWN_PAGE }],
  ];
  for (const [status, headers] of refused)
    for (const what of [
      RUN,
      LOOK,
      { method: 'GET', path: '/ok/../threads' },
      { method: 'POST', path: '/ok' },
    ])
      expect([headers, what, await statusOf(what, headers)]).toEqual([headers, what, status]);
  expect((await visit(RUN)).json).toEqual({ detail: expect.stringContaining('X-Api-Key') });
});

test('a page of another origin can read why it was refused, but cannot send credentials', async () => {
  const { id } = await agent();
  const origin = 'https://app.example.com';
  const { status, headers } = await fetch(`${platform.url}/d/${id}/threads`, { headers: { origin } });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  expect(headers.has('access-control-allow-credentials')).toBe(false);
});

test('accepts keys of the workspace and of the platform, in either header', async () => {
  const { statusOf } = await agent();
  for (const made of [await key('deployer'), await key('admin', null)])
    for (const headers of [{ 'x-api-key': made }, { authorization: `Bearer ${made}` }])
      expect([await statusOf(RUN, headers), await statusOf(LOOK, headers)]).toEqual([201, 200]);
});

test('lets a viewer read, but not start, cancel or change anything', async () => {
  const { id, statusOf } = await agent();
  const viewer = { 'x-api-key': await key('viewer') };
  for (const path of ['/threads/search', '/store/items/search?x=1', `/threads/${id}/history`])
    expect([path, await statusOf({ method: 'POST', path }, viewer)]).toEqual([path, 201]);
  expect(
    await statusOf({ method: 'GET', path: '/threads/1/runs/2/join?cancel_on_disconnect=0' }, viewer),
  ).toBe(200);
  for (const path of ['/threads', '/runs/search/wait', '/mcp', '/a2a/agent', '/runs/cancel'])
    expect([path, await statusOf({ method: 'POST', path }, viewer)]).toEqual([path, 403]);
  for (const path of ['?cancel_on_disconnect=1', '?a=1&cancel%5Fon_disconnect=true'])
    expect([path, await statusOf({ method: 'GET', path: `/threads/1/runs/2/join${path}` }, viewer)]).toEqual([
      path,
      403,
    ]);
  expect(await statusOf({ method: 'DELETE', path: '/threads/1' }, viewer)).toBe(403);
});

test("accepts console sessions, from the console's own pages", async () => {
  const { statusOf } = await agent();
  const cookie = await session('deployer');
  expect(await statusOf(LOOK, cookie)).toBe(200);
  expect(await statusOf(RUN, { ...cookie, ...OWN_PAGE })).toBe(201);
  expect(await statusOf(RUN, cookie)).toBe(403);
  for (const site of ['cross-site', 'same-site'])
    expect(await statusOf(RUN, { ...cookie, ...OWN_PAGE, 'sec-fetch-site': site })).toBe(403);
  expect(await statusOf(RUN, { ...cookie, ...OWN_PAGE, origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf(RUN, { ...cookie, ...OWN_PAGE, origin: 'null' })).toBe(403);
});

test('accepts WebSockets with a key that may start runs, or from a page of the console', async () => {
  const { id } = await agent();
  const opened = (headers: Record<string, string>) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/d/${id}/socket?a=1`, { headers });
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('error', () => {});
    });
  const cookie = await session('deployer');
  expect(await opened({})).toBe(401);
  expect(await opened({ 'x-api-key': await key('viewer') })).toBe(403);
  expect(await opened({ 'x-api-key': await key('deployer') })).toBe(101);
  expect(await opened(cookie)).toBe(403);
  expect(await opened({ ...cookie, origin: 'https://evil.example' })).toBe(403);
  expect(await opened({ ...cookie, origin: 'null' })).toBe(403);
  expect(await opened({ ...cookie, origin: platform.url })).toBe(101);
});

test('leaves health, the agent card, page assets and CORS preflights open to everyone', async () => {
  const { id, statusOf } = await agent();
  for (const path of [
    '/ok',
    '/ok?check_db=1',
    '/.well-known/agent-card.json',
    '/a2a/agent/.well-known/agent-card.json',
    '/ui/agent/entrypoint.js',
  ]) {
    expect([path, await statusOf({ method: 'GET', path })]).toEqual([path, 200]);
    expect([path, await statusOf({ method: 'POST', path })]).toEqual([path, 401]);
  }
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
  expect(await statusOf({ method: 'OPTIONS', path: '/runs/wait' }, preflight)).toBe(200);
  expect(await statusOf({ method: 'OPTIONS', path: '/runs/wait' })).toBe(401);
  for (const path of [
    '/ok/',
    '/okay',
    '/info',
    '/docs',
    '/metrics',
    '/a2a/agent',
    '/ui/agent/secret',
    `/threads/${id}`,
  ])
    expect([path, await statusOf({ method: 'GET', path })]).toEqual([path, 401]);
});

test('is open to everyone while the deployment is public', async () => {
  const { id, revisionId, statusOf } = await agent({ access: 'public' });
  const direct = async () => (await fetch(`${platform.url}/r/${revisionId}/threads`)).status;
  expect([await statusOf(RUN), await direct()]).toEqual([201, 200]);
  expect(await statusOf(RUN, { 'x-auth-scheme': 'langsmith' })).toBe(401);
  await platform.db.query(`update control_plane.deployment set access = 'private' where id = $1`, [id]);
  await until(
    'the change takes effect',
    async () => (await statusOf(RUN)) === 401 && (await direct()) === 401,
  );
});

test("leaves access to the agent's own authentication, except for Studio, which needs a key", async () => {
  const { visit, statusOf } = await agent({ own_auth: true });
  expect(await statusOf(RUN)).toBe(201);
  const theirs = { 'x-api-key': 'a key of the project', authorization: 'Bearer eyJhbGciOi.eyJzdWIi.c2ln' };
  expect((await visit(RUN, theirs)).json['headers']).toMatchObject(theirs);
  const studio = { 'x-auth-scheme': 'langsmith' };
  expect(await statusOf(RUN, studio)).toBe(401);
  expect(await statusOf(RUN, { ...studio, ...theirs })).toBe(401);
  expect(await statusOf(RUN, { ...studio, 'x-api-key': await key('viewer') })).toBe(403);
  expect(await statusOf(RUN, { ...studio, 'x-api-key': await key('deployer') })).toBe(201);
});

test('a revision without authentication is not open because another revision has it', async () => {
  const { id, statusOf } = await agent({ own_auth: true });
  const canary = await revision(id, (await upstream('two')).url);
  await platform.db.query('insert into control_plane.traffic values ($1, $2, 100)', [id, canary]);
  await until('the canary is asked', async () => (await statusOf(RUN)) === 401);
});

test.each([
  ['of a private deployment', {}],
  ['of a public one', { access: 'public' }],
  ['with authentication of its own', { own_auth: true }],
])('no agent sees a key of the platform: %s', async (_, about) => {
  const { visit } = await agent(about);
  // An operator may choose any text as the first key.
  const chosen = randomUUID();
  await insertApiKey(platform.db, chosen, { tenant_id: tenant, name: 'chosen', role: 'admin' });
  for (const secret of [await key('deployer'), chosen]) {
    const both = { 'x-api-key': secret, authorization: `Bearer ${secret}` };
    const { status, json } = await visit(RUN, { ...both, 'x-kept': 'yes' });
    expect([status, json['headers']['x-kept'], JSON.stringify(json).includes(secret)]).toEqual([
      201,
      'yes',
      false,
    ]);
  }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  for (const authorization of [chosen, `Token ${chosen}`, basic(`x:${chosen}`), basic(`${chosen}:`)])
    expect((await visit(RUN, { 'x-api-key': chosen, authorization })).json['headers']).not.toHaveProperty(
      'authorization',
    );
  const { json } = await visit(RUN, { 'x-api-key': chosen, authorization: 'Basic dTpw' });
  expect(json['headers'].authorization).toBe('Basic dTpw');
});

test('an agent sees the caller’s other cookies as they were sent', async () => {
  const { visit } = await agent({ access: 'public' });
  const cookie = 'flag;a=1; __Host-slipway=s;slipway =s; b = 2=3; slipway-sign-in=x; slipways=kept';
  const { json } = await visit(LOOK, { cookie });
  expect(json['headers'].cookie).toBe('flag;a=1; b = 2=3; slipways=kept');
});

test('an open agent does not see the configured key while Postgres is away', async () => {
  const db = openDatabase({ url: 'postgresql://127.0.0.1:1/none', poolSize: 1 });
  const chosen = randomUUID();
  const config = readSettings(ControlPlaneSettings, { SLIPWAY_API_KEY: chosen });
  const headers = { 'x-api-key': chosen, authorization: `Bearer ${chosen}` };
  const asked = { method: 'POST', headers } as unknown as IncomingMessage;
  const target = { tenant_id: tenant, access: 'public', own_auth: false } as const;
  const { withheld } = await new AgentAccess({ db, config }).admit(asked, '/runs', target);
  await db.end();
  expect(withheld).toEqual(['x-api-key', 'authorization']);
});

test('revoked keys and sessions stop working within seconds', async () => {
  const { statusOf } = await agent();
  const made = { 'x-api-key': await key('deployer') };
  const cookie = await session('deployer');
  expect([await statusOf(RUN, made), await statusOf(LOOK, cookie)]).toEqual([201, 200]);
  await platform.db.query(`update control_plane.api_key set revoked_at = now() where tenant_id = $1`, [
    tenant,
  ]);
  await platform.db.query('update control_plane.session set revoked_at = now()');
  await until(
    'neither is good',
    async () => (await statusOf(RUN, made)) === 401 && (await statusOf(LOOK, cookie)) === 401,
  );
});

test('no redirect of an agent takes credentials of the platform elsewhere', async () => {
  const { id } = await agent({ access: 'public' });
  const made = await key('deployer');
  const locationOf = async (status: number, location: string, headers: Record<string, string>) => {
    const query = new URLSearchParams({ status: String(status), location });
    const answer = await request(`${platform.url}/d/${id}/sends-to?${query.toString()}`, {
      method: 'POST',
      headers,
    });
    await answer.body.dump();
    return [answer.statusCode, answer.headers['location']];
  };
  const foreign = 'https://evil.example/';
  const away = [foreign, '//evil.example/', '/v2/deployments/1', '../../v2', `/d/${id}0/ok`];
  const within = ['ok', `/d/${id}/ok`, `${platform.url}/d/${id}/ok?a=1`];
  const known = [{ 'x-api-key': made }, { authorization: `Bearer ${made}` }, OWN_PAGE];
  for (const headers of known) {
    for (const status of [301, 302, 303, 307, 308])
      for (const location of away)
        expect([location, await locationOf(status, location, headers)]).toEqual([
          location,
          [status, undefined],
        ]);
    for (const location of within) expect(await locationOf(307, location, headers)).toEqual([307, location]);
    expect(await locationOf(201, '/threads/1', headers)).toEqual([201, '/threads/1']);
    expect(await locationOf(200, '@evil.example/', headers)).toEqual([200, undefined]);
  }
  expect(await locationOf(302, foreign, {})).toEqual([302, foreign]);
});

test('does not wait for the body of a caller without a key', async () => {
  const { id } = await agent();
  const { hostname, port } = new URL(platform.url);
  const path = `/d/${id}/threads`;
  const putting = httpRequest({
    hostname,
    port,
    path,
    method: 'PUT',
    headers: { 'content-length': 1_000 },
  });
  putting.on('error', () => {});
  const answered = once(putting, 'response');
  putting.write('{');
  const [answer] = (await answered) as [IncomingMessage];
  expect(answer.statusCode).toBe(401);
  putting.destroy();
});
