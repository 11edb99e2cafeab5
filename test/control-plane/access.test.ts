import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const { publicKey, privateKey } = await generateKeyPair('ES256');
const issuer: Server = createServer((request, response) => {
  const origin = `http://${request.headers.host}`;
  void exportJWK(publicKey).then((key) => {
    response.setHeader('content-type', 'application/json');
    const keys = { keys: [{ ...key, kid: 'one', alg: 'ES256', use: 'sig' }] };
    response.end(JSON.stringify(request.url === '/keys' ? keys : { jwks_uri: `${origin}/keys` }));
  });
});
await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
const ISSUER = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
afterAll(() => new Promise((resolve) => issuer.close(resolve)));

const plane = useControlPlane({
  SLIPWAY_OIDC_ISSUER: ISSUER,
  SLIPWAY_OIDC_AUDIENCE: 'the platform',
  SLIPWAY_TENANT_DEPLOYMENTS: '2',
});
let anonymous: Caller;
let admin: Caller;
let viewer: Caller;
let deployer: Caller;

beforeAll(async () => {
  anonymous = new Caller(plane.url);
  admin = new Caller(plane.url, { 'x-api-key': await plane.key('admin') });
  viewer = new Caller(plane.url, { 'x-api-key': await plane.key('viewer') });
  deployer = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
});

const LIST = '/v2/deployments';
const DEPLOYMENT = { name: 'empty', source: 'internal_source', secrets: [] };

test('without a key, or with a wrong key or token, only the health check works', async () => {
  const wrong: Record<string, string>[] = [
    {},
    { 'x-api-key': 'slp_wrong' },
    { authorization: 'Bearer wrong' },
  ];
  for (const headers of wrong) {
    const { status, json, headers: answered } = await anonymous.get(LIST, headers);
    expect(status).toBe(401);
    expect(json.detail).toContain('X-Api-Key');
    expect(answered.get('www-authenticate')).toContain('Bearer');
  }
  expect((await anonymous.get('/ok')).json).toEqual({ ok: true });
  expect((await anonymous.get('/api-host/ok')).json).toEqual({ ok: true });
});

describe('keys', () => {
  test('are shown once, listed without the secret, and useless once revoked', async () => {
    const { status, json } = await admin.post('/v2/api-keys', { name: 'ci', role: 'deployer' });
    expect(status).toBe(201);
    expect(json.key).toMatch(/^slp_/);
    const ci = new Caller(plane.url, { 'x-api-key': json.key });
    expect((await ci.get(LIST)).status).toBe(200);
    expect((await anonymous.get(LIST, { authorization: `Bearer ${json.key}` })).status).toBe(200);
    const listed = await admin.get('/v2/api-keys');
    expect(listed.text).not.toContain(json.key);
    expect(listed.json.resources[0]).toMatchObject({ id: json.id, name: 'ci', hint: json.key.slice(-4) });
    expect((await admin.delete(`/v2/api-keys/${json.id}`)).status).toBe(204);
    expect((await ci.get(LIST)).status).toBe(401);
    expect((await admin.delete(`/v2/api-keys/${randomUUID()}`)).status).toBe(404);
  });

  test('expire', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { json } = await admin.post('/v2/api-keys', { name: 'brief', role: 'viewer', expires_at: later });
    const brief = new Caller(plane.url, { 'x-api-key': json.key });
    expect((await brief.get(LIST)).status).toBe(200);
    // As if that hour had passed.
    await plane.deps.db.query(
      `update control_plane.api_key set expires_at = expires_at - interval '1 hour' where id = $1`,
      [json.id],
    );
    await brief.until(LIST, ({ status }) => status === 401);
    const past = { name: 'late', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' };
    expect((await admin.post('/v2/api-keys', past)).status).toBe(422);
  });

  test('are managed by admins only', async () => {
    for (const caller of [viewer, deployer]) {
      expect((await caller.get('/v2/api-keys')).status).toBe(403);
      expect((await caller.post('/v2/api-keys', { name: 'mine', role: 'admin' })).status).toBe(403);
      expect((await caller.get('/v2/audit')).status).toBe(403);
    }
  });
});

test('viewers can read but not change anything', async () => {
  expect((await viewer.get(LIST)).status).toBe(200);
  expect((await viewer.post(LIST, DEPLOYMENT)).status).toBe(403);
  expect((await viewer.post(`/v1/projects/${randomUUID()}/deploy_logs`, {})).status).toBe(404);
});

describe('tenants', () => {
  test("a tenant's key can name that tenant, and no other", async () => {
    expect((await viewer.get(LIST, { 'x-tenant-id': plane.tenant.toUpperCase() })).status).toBe(200);
    expect((await viewer.get(LIST, { 'x-tenant-id': randomUUID() })).status).toBe(403);
  });

  test('a key of all tenants must name one, in the headers that clients use', async () => {
    const anywhere = new Caller(plane.url, { 'x-api-key': await plane.key('admin', null) });
    const { status, json } = await anywhere.get(LIST);
    expect(status).toBe(403);
    expect(json.detail).toContain('requires workspace specification');
    expect((await anywhere.get(LIST, { 'X-Tenant-ID': randomUUID() })).json.resources).toEqual([]);
  });
});

describe('bearer tokens', () => {
  const sign = (claims: JWTPayload, { audience = 'the platform', expires = '5m', key = privateKey } = {}) =>
    new SignJWT({ sub: 'ada', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(key);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('claims set the tenant and the role', async () => {
    const tenant_id = randomUUID();
    const token = await sign({ tenant_id, role: ['staff', 'deployer'], email: 'ada@example.com' });
    const { status, json } = await anonymous.post(LIST, DEPLOYMENT, bearer(token));
    expect(status).toBe(201);
    expect(json.tenant_id).toBe(tenant_id);
    const without = await sign({ tenant_id });
    expect((await anonymous.get(LIST, bearer(without))).json.resources).toHaveLength(1);
    expect((await anonymous.post(LIST, DEPLOYMENT, bearer(without))).status).toBe(403);
  });

  test('for several tenants, the header chooses', async () => {
    const token = await sign({ tenant_id: [plane.tenant, randomUUID()], role: 'viewer' });
    const { status, json } = await anonymous.get(LIST, bearer(token));
    expect(status).toBe(403);
    expect(json.detail).toContain('requires workspace specification');
    const chosen = { ...bearer(token), 'x-tenant-id': plane.tenant };
    expect((await anonymous.get(LIST, chosen)).status).toBe(200);
    const strange = { ...bearer(token), 'x-tenant-id': randomUUID() };
    expect((await anonymous.get(LIST, strange)).status).toBe(403);
    expect((await anonymous.get(LIST, bearer(await sign({ role: 'admin' })))).status).toBe(403);
  });

  test('with another audience, expired, signed by another key or unsigned are refused', async () => {
    const tenant_id = plane.tenant;
    const other = await generateKeyPair('ES256');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(
      JSON.stringify({ sub: 'ada', tenant_id, iss: ISSUER, aud: 'the platform', exp: 4_000_000_000 }),
    ).toString('base64url')}.`;
    for (const token of [
      await sign({ tenant_id }, { audience: 'somebody else' }),
      await sign({ tenant_id }, { expires: '5 minutes ago' }),
      await sign({ tenant_id }, { key: other.privateKey }),
      unsigned,
    ])
      expect((await anonymous.get(LIST, bearer(token))).status).toBe(401);
  });
});

test('the limit of deployments per tenant holds for concurrent requests', async () => {
  const tenant = randomUUID();
  const caller = new Caller(plane.url, { 'x-api-key': await plane.key('deployer', tenant) });
  const answers = await Promise.all(
    [1, 2, 3, 4].map((number) => caller.post(LIST, { ...DEPLOYMENT, name: `agent-${number}` })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(2);
});

describe('the audit log', () => {
  const row = (number: number) => [plane.tenant, number];

  test('records every change and its author, and no secret', async () => {
    const secret = `value-${randomUUID()}`;
    const body = { ...DEPLOYMENT, name: 'told', secrets: [{ name: 'MODEL_KEY', value: secret }] };
    const { json: made } = await deployer.post(LIST, body);
    await deployer.patch(`${LIST}/${made.id}`, { display_name: 'Told' });
    await deployer.patch(`${LIST}/${made.id}`, { source_revision_config: { image_uri: 'x' } });
    await deployer.delete(`${LIST}/${made.id}`);
    const { json, text } = await admin.get(`/v2/audit?target=deployment/${made.id}`);
    expect(json.resources).toMatchObject([
      { action: 'deleteDeployment', actor: 'a deployer' },
      { action: 'patchDeployment', detail: { display_name: 'Told' } },
      { action: 'createDeployment', detail: { name: 'told', secrets: ['MODEL_KEY'] } },
    ]);
    expect(text).not.toContain(secret);
  });

  test('reveals changed and missing entries', async () => {
    const verify = async () => (await admin.get('/v2/audit/verification')).json;
    const { db } = plane.deps;
    const whole = await verify();
    expect(whole).toMatchObject({ valid: true, broken_at: null });
    expect(whole.entries).toBeGreaterThan(3);
    const { rows } = await db.query<{ actor: string }>(
      'select actor from control_plane.audit_entry where tenant_id = $1 and number = $2',
      row(2),
    );
    const write = (actor: string) =>
      db.query('update control_plane.audit_entry set actor = $3 where tenant_id = $1 and number = $2', [
        ...row(2),
        actor,
      ]);
    await write('somebody else');
    expect(await verify()).toMatchObject({ valid: false, broken_at: 2 });
    await write(rows[0]!.actor);
    expect(await verify()).toEqual(whole);
    await db.query('delete from control_plane.audit_entry where tenant_id = $1 and number = $2', row(2));
    expect(await verify()).toMatchObject({ valid: false, broken_at: 2 });
  });
});
