import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Provider } from 'oidc-provider';
import { CONSOLE_PAGES } from '../../src/bin/console-service.ts';
import { forwardedHeaders } from '../../src/control-plane/gateway/gateway-headers.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const TENANT = randomUUID();
const GROUPS: Record<string, string[]> = { ada: ['agents-admins', 'staff'], bob: ['strangers'] };
const CALLBACKS: string[] = [];

// A real identity provider, where the test chooses who signs in.
const issuer: Server = createServer();
await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
const ISSUER = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
let signedIn = 'ada';

const plane = useControlPlane({
  SLIPWAY_OIDC_ISSUER: ISSUER,
  SLIPWAY_OIDC_CLIENT_ID: 'console',
  SLIPWAY_OIDC_CLIENT_SECRET: 'a secret of the console',
  SLIPWAY_OIDC_GROUPS: JSON.stringify({ 'agents-admins': { tenant_id: TENANT, role: 'admin' } }),
});

beforeAll(() => {
  CALLBACKS.push(`${plane.url}/v2/sign-in/oidc/callback`);
  const provider = new Provider(ISSUER, {
    clients: [{ client_id: 'console', client_secret: 'a secret of the console', redirect_uris: CALLBACKS }],
    claims: { openid: ['sub'], email: ['email'], profile: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, groups: GROUPS[id] }),
    }),
  });
  const answer = provider.callback();
  issuer.on('request', (request, response) => {
    if (!request.url!.startsWith('/interaction/')) return void answer(request, response);
    void (async () => {
      const { params } = await provider.interactionDetails(request, response);
      const grant = new provider.Grant({ accountId: signedIn, clientId: 'console' });
      grant.addOIDCScope(String(params['scope']));
      const result = { login: { accountId: signedIn }, consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result);
    })();
  });
});
afterAll(() => {
  issuer.closeAllConnections();
  issuer.close();
});

const OURS = { 'x-slipway-console': '1' };
const LIST = '/v2/deployments';
const DEPLOYMENT = { source: 'internal_source', secrets: [] };

const cookieOf = (answer: { headers: Headers }): string => answer.headers.getSetCookie()[0]!.split(';')[0]!;

async function signIn(
  role: 'viewer' | 'deployer' | 'admin',
): Promise<{ caller: Caller; cookie: string; key: string }> {
  const key = await plane.key(role);
  const answer = await new Caller(plane.url).post('/v2/sign-in', { api_key: key }, OURS);
  expect(answer.status).toBe(200);
  const cookie = cookieOf(answer);
  return { caller: new Caller(plane.url, { cookie }), cookie, key };
}

describe('a session of a key', () => {
  test('is an HTTP-only cookie, valid where the key is', async () => {
    const nobody = new Caller(plane.url);
    const key = await plane.key('deployer');
    const answer = await nobody.post('/v2/sign-in', { api_key: key }, OURS);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^slipway=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/),
    ]);
    expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
    const behindTls = await nobody.post(
      '/v2/sign-in',
      { api_key: key },
      { ...OURS, 'x-forwarded-proto': 'https' },
    );
    expect(behindTls.headers.getSetCookie()[0]).toMatch(/^__Host-slipway=.*; Secure$/);
    const caller = new Caller(plane.url, { cookie: `theme=dark; ${cookieOf(answer)}` });
    expect((await caller.get(LIST)).status).toBe(200);
    expect((await caller.get('/v2/session')).json).toMatchObject({
      name: 'a deployer',
      role: 'deployer',
      tenant_id: plane.tenant,
    });
    expect((await caller.get('/v2/api-keys')).status).toBe(403);
    // Behind TLS, a cookie name that other hosts could set is ignored.
    expect((await caller.get(LIST, { 'x-forwarded-proto': 'https' })).status).toBe(401);
  });

  test('can change things only from our own pages', async () => {
    const { caller, key } = await signIn('deployer');
    const body = { ...DEPLOYMENT, name: 'by-cookie' };
    const origin = plane.url;
    const foreign: Record<string, string>[] = [
      {},
      { origin },
      { ...OURS, origin: 'https://evil.example' },
      { ...OURS, origin: 'null' },
      { ...OURS, origin, 'sec-fetch-site': 'same-site' },
      { ...OURS, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) expect((await caller.post(LIST, body, headers)).status).toBe(403);
    expect((await caller.post(LIST, body, { ...OURS, origin, 'sec-fetch-site': 'same-origin' })).status).toBe(
      201,
    );
    // Another site can't sign a user in as someone else either.
    const stranger = new Caller(plane.url, { origin: 'https://evil.example', ...OURS });
    expect((await stranger.post('/v2/sign-in', { api_key: key })).status).toBe(403);
    expect((await new Caller(plane.url).post('/v2/sign-in', { api_key: key })).status).toBe(403);
  });

  test('ends with its key, when revoked, and on sign-out', async () => {
    const admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
    const [revoked, ended, left] = [await signIn('viewer'), await signIn('viewer'), await signIn('viewer')];
    const { resources } = (await admin.get('/v2/api-keys?limit=100')).json;
    const { id } = resources.find(({ hint }: { hint: string }) => revoked.key.endsWith(hint));
    await admin.delete(`/v2/api-keys/${id}`);
    expect((await revoked.caller.get(LIST)).status).toBe(401);

    const { session_id } = (await ended.caller.get('/v2/session')).json;
    const listed = await admin.get('/v2/sessions?limit=100');
    expect(listed.json.resources.map((session: { id: string }) => session.id)).toContain(session_id);
    expect(listed.text).not.toContain(ended.cookie.split('=')[1]);
    expect((await admin.delete(`/v2/sessions/${session_id}`)).status).toBe(204);
    expect((await ended.caller.get(LIST)).status).toBe(401);
    expect((await admin.delete(`/v2/sessions/${session_id}`)).status).toBe(404);

    expect((await left.caller.delete('/v2/session', OURS)).status).toBe(204);
    expect((await left.caller.get(LIST)).status).toBe(401);
    const actions = (await admin.get('/v2/audit?limit=100')).json.resources.map(
      ({ action }: { action: string }) => action,
    );
    expect(actions).toEqual(expect.arrayContaining(['signIn', 'signOut', 'revokeSession']));
  });

  test('can be listed and ended by its owner, and by admins', async () => {
    const { caller } = await signIn('viewer');
    const { caller: other } = await signIn('deployer');
    const names = (await caller.get('/v2/sessions')).json.resources.map(({ name }: { name: string }) => name);
    expect(new Set(names)).toEqual(new Set(['a viewer']));
    const { session_id } = (await other.get('/v2/session')).json;
    expect((await caller.delete(`/v2/sessions/${session_id}`, OURS)).status).toBe(404);
  });

  test('is refused for a wrong key, a tracing-only key and a key of all tenants', async () => {
    const nobody = new Caller(plane.url, OURS);
    expect((await nobody.post('/v2/sign-in', { api_key: 'slp_wrong' })).status).toBe(401);
    expect((await nobody.post('/v2/sign-in', { api_key: await plane.key('tracer') })).status).toBe(403);
    const api_key = await plane.key('viewer', null);
    expect((await nobody.post('/v2/sign-in', { api_key })).json.detail).toContain('workspace specification');
    const tenant_id = randomUUID();
    expect((await nobody.post('/v2/sign-in', { api_key, tenant_id })).json.grants).toEqual([
      { tenant_id, role: 'viewer' },
    ]);
  });
});

/** A minimal browser: it keeps cookies by host, and follows redirects until one leads to one of our paths. */
async function browse(path: string): Promise<{ location: string; jar: Map<string, string> }> {
  const jar = new Map<string, string>();
  let url = plane.url + path;
  for (let hop = 0; hop < 15; hop++) {
    const { host, origin } = new URL(url);
    const cookie = [...jar]
      .filter(([name]) => name.startsWith(`${host} `))
      .map(([name, value]) => `${name.split(' ')[1]}=${value}`);
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: cookie.join('; ') } });
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split(/=(.*)/s);
      if (value) jar.set(`${host} ${name}`, value);
      else jar.delete(`${host} ${name}`);
    }
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`);
    if (origin === plane.url && location.startsWith('/')) return { location, jar };
    url = new URL(location, url).href;
  }
  throw new Error(`no end, at ${url}`);
}

describe('by OpenID Connect', () => {
  test('groups set the workspace and the role', async () => {
    expect((await new Caller(plane.url).get('/v2/sign-in')).json).toEqual({ methods: ['api_key', 'oidc'] });
    signedIn = 'ada';
    const { location, jar } = await browse('/v2/sign-in/oidc?return_to=/traces%3Fview%3Dtree');
    expect(location).toBe('/traces?view=tree');
    const host = new URL(plane.url).host;
    expect([...jar.keys()].filter((name) => name.startsWith(host))).toEqual([`${host} slipway`]);
    const ada = new Caller(plane.url, { cookie: `slipway=${jar.get(`${host} slipway`)}` });
    expect((await ada.get('/v2/session')).json).toMatchObject({
      name: 'ada@example.com',
      role: 'admin',
      tenant_id: TENANT,
      grants: [{ tenant_id: TENANT, role: 'admin' }],
    });
    expect((await ada.get('/v2/sessions')).json.resources).toMatchObject([
      { name: 'ada@example.com', method: 'oidc' },
    ]);
    expect((await ada.get(LIST, { 'x-tenant-id': plane.tenant })).status).toBe(403);
  });

  test('refuses users without a workspace, and callbacks without a sign-in', async () => {
    signedIn = 'bob';
    const { location, jar } = await browse('/v2/sign-in/oidc');
    expect(location).toBe('/sign-in?error=no_workspace');
    expect([...jar.keys()].filter((name) => name.endsWith(' slipway'))).toEqual([]);
    expect((await browse('/v2/sign-in/oidc/callback?code=stolen&state=guessed')).location).toBe(
      '/sign-in?error=refused',
    );
    signedIn = 'ada';
    expect((await browse('/v2/sign-in/oidc?return_to=//evil.example/')).location).toBe('/');
  });
});

test('agents get their callers’ cookies without ours', () => {
  const request = {
    socket: {},
    headers: { cookie: 'a=1; slipway=secret; __Host-slipway=secret; slipway-sign-in=x; slipways=2' },
  };
  expect(forwardedHeaders(request as never, { prefix: '/d/1', withheld: [] })).toMatchObject({
    cookie: 'a=1; slipways=2',
  });
  expect(
    forwardedHeaders({ ...request, headers: { cookie: 'slipway=secret' } } as never, {
      prefix: '',
      withheld: [],
    }),
  ).not.toHaveProperty('cookie');
});

test('no console page has the path of an API', async () => {
  const { isTracingPath } = await import('../../src/tracing/request/canonical-path.ts');
  const { controlPlaneRoutes } = await import('../../src/control-plane/control-plane-routes.ts');
  const heads = new Set(controlPlaneRoutes(plane.deps).map(({ path }) => path.split('/')[1]));
  const taken = CONSOLE_PAGES.filter((head) => isTracingPath(`/${head}`) || heads.has(head));
  expect(taken).toEqual([]);
});
