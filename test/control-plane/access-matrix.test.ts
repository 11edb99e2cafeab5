import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { insertApiKey } from '../../src/control-plane/access/api-key-repository.ts';
import { servedRoutes } from '../../src/control-plane/control-plane-server.ts';
import { activateRevision } from '../../src/control-plane/records/deployment-repository.ts';
import { REGISTRY_OPERATIONS } from '../../src/control-plane/registry/registry.ts';
import { issueRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { isTracingPath } from '../../src/tracing/request/canonical-path.ts';
import { tracingRoutes } from '../../src/tracing/tracing-server.ts';
import type { TracingDeps } from '../../src/tracing/tracing-deps.ts';
import { usePlatformHttp } from '../support/use-platform-http.ts';
import { type Access, accessOf } from './access-matrix/access-table.ts';
import { allowedAnswers } from './access-matrix/allowed-answers.ts';
import { type Asker, askerOf, type Answer } from './access-matrix/asker.ts';
import { requestOf } from './access-matrix/requests.ts';
import { insertDeployable } from './control-plane-fixture.ts';
import { RegistryClient } from './registry-client.ts';
import { fill, makeOneOfEach, nothing, type Things } from './access-matrix/things.ts';

const platform = usePlatformHttp({ SLIPWAY_GATEWAY_HOLD_SECONDS: '1', SLIPWAY_DRIVER: 'docker' });

interface Operation {
  /** `METHOD /path`, as the tables name it. */
  name: string;
  method: string;
  path: string;
  access: Access;
  route: Route;
}

let operations: Operation[];
let own: Things;
const [tenant, stranger] = [randomUUID(), randomUUID()];
const asker = (headers: Record<string, string>): Asker => askerOf(platform.url, headers);
const keyed = (key: string, more: Record<string, string> = {}): Asker => asker({ 'x-api-key': key, ...more });

beforeAll(async () => {
  const { deps } = platform;
  const controlPlane = servedRoutes(deps, { metrics: new Registry(), version: '0' });
  const routes = [...controlPlane, ...tracingRoutes(deps as unknown as TracingDeps)];
  const isServed = (path: string) => isTracingPath(path) || controlPlane.some((route) => route.path === path);
  operations = routes.map((route) => {
    const name = `${route.method.toUpperCase()} ${route.path.replace(/^\/api-host/, '')}`;
    // Two spellings of old clients are accepted only where those clients use them.
    const path = isServed(route.path) ? route.path : `/api/v1${route.path}`;
    return { name, method: route.method.toUpperCase(), path, access: accessOf.get(name)!, route };
  });
  // Operations that create objects come last, because they create the requested ones.
  const turn = ({ name, method }: Operation) => (name === 'POST /repos' ? 9 : ORDER.indexOf(method));
  operations.sort((a, b) => turn(a) - turn(b));
  own = await makeOneOfEach(keyed(await platform.key('admin', tenant)));
});

/** Sends one operation a request about some objects; objects that it creates get a unique name. */
function ask(caller: Asker, { name, method, path }: Operation, things: Things): Promise<Answer> {
  const named = { ...things, word: `a-${randomUUID()}` };
  const { query, body } = requestOf(name, named);
  return caller(method, fill(path, named) + query, body);
}

/** Responses of operations that differ from the expected ones. */
async function misses(check: (operation: Operation) => Promise<string | undefined>): Promise<string[]> {
  const found: string[] = [];
  for (const operation of operations) {
    const miss = await check(operation);
    if (miss) found.push(`${operation.method} ${operation.path}: ${miss}`);
  }
  return found;
}

test('every route has a row, and every row a route', () => {
  const names = new Set(operations.map(({ name }) => name));
  expect([...names].filter((name) => !accessOf.has(name))).toEqual([]);
  expect([...accessOf.keys()].filter((name) => !names.has(name))).toEqual([]);
});

const MAY: Record<string, Access[]> = {
  tracer: ['tracer'],
  viewer: ['viewer'],
  deployer: ['tracer', 'viewer', 'deployer'],
  admin: ['tracer', 'viewer', 'deployer', 'admin', 'platform'],
};
const ORDER = ['GET', 'PATCH', 'PUT', 'DELETE', 'POST'];
const OPEN: Access[] = ['anyone', 'address'];

describe('refusals', () => {
  /** The response to every request that is not public, however it is spelled, and whether or not the objects exist. */
  const refusing = (caller: Asker, status: number, except: Access[] = []) =>
    misses(async (operation) => {
      if ([...OPEN, ...except].includes(operation.access)) return undefined;
      const response = await ask(caller, operation, own);
      if (response.status !== status || typeof response.json?.detail !== 'string')
        return `${response.status} ${response.text}`;
      return undefined;
    });

  test('without a key, or with a malformed, expired or revoked one', async () => {
    const admin = keyed(await platform.key('admin', tenant));
    const late = await platform.key('admin', tenant, new Date(Date.now() - 1_000));
    const { json: revoked } = await admin('POST', '/v2/api-keys', { name: 'revoked', role: 'admin' });
    expect((await admin('DELETE', `/v2/api-keys/${revoked.id}`)).status).toBe(204);
    const callers = [
      asker({}),
      keyed('malformed'),
      asker({ authorization: 'Bearer a.b.c' }),
      asker({ authorization: `Bearer ${late}` }),
      keyed(revoked.key),
    ];
    for (const caller of callers) expect(await refusing(caller, 401)).toEqual([]);
  });

  test("with another workspace's key, or a key of all workspaces that names none", async () => {
    expect(
      await refusing(keyed(await platform.key('admin', tenant), { 'x-tenant-id': stranger }), 403),
    ).toEqual([]);
    expect(await refusing(keyed(await platform.key('admin', null)), 403, ['platform'])).toEqual([]);
  });

  test.each(Object.keys(MAY))('a %s, for all routes beyond its role', async (role) => {
    const caller = keyed(await platform.key(role as 'viewer', tenant));
    expect(await refusing(caller, 403, MAY[role])).toEqual([]);
  });

  test('a viewer, even if a name ends the path like a readable route', async () => {
    const viewer = keyed(await platform.key('viewer', tenant));
    for (const word of ['query', 'stats', 'search', 'preview', 'dashboard', 'size', 'runs', 'build_logs'])
      for (const { method, path, access } of operations.filter(({ path }) =>
        /\{(?:owner|repo|tag_name)\}$/.test(path),
      ))
        if (access === 'deployer')
          expect(await viewer(method, path.replaceAll(/\{\w+\}/g, word), {})).toMatchObject({ status: 403 });
  });
});

test.each(Object.keys(MAY))('a %s can use all routes of its role', async (role) => {
  const caller = keyed(await platform.key(role as 'viewer', randomUUID()));
  const empty = nothing();
  const wrong = await misses(async (operation) => {
    if (![...OPEN, ...MAY[role]!].includes(operation.access)) return undefined;
    const { status, text } = await ask(caller, operation, empty);
    return allowedAnswers(operation).includes(status) ? undefined : `${status} ${text.slice(0, 300)}`;
  });
  expect(wrong).toEqual([]);
});

// There are no canaries, and no generated data.
const CANARY = 'GET /v2/deployments/{deployment_id}/revisions/{revision_id}/canary';
const UNREAD = [CANARY, 'GET /generate'].sort();

// Values that reading changes: counts, and the ids of a preview.
const COUNTED = /"(?:num_downloads|num_views)":\d+|"series_id":"[^"]+"/g;

// A handle belongs to one workspace, and only one cost recomputation runs at a time.
const ONCE = ['POST /settings/handle', 'POST /model-price-map/recompute'];

describe('another workspace', () => {
  /** Everything the tenant can read about its objects. */
  const everything = async (admin: Asker) => {
    const responses = new Map<string, string>();
    for (const operation of operations.filter(
      ({ access, method }) =>
        (access === 'viewer' && method !== 'DELETE') ||
        (['admin', 'platform'].includes(access) && method === 'GET'),
    )) {
      const { query, body } = requestOf(operation.name, own);
      const { status, text } = await admin(operation.method, fill(operation.path, own) + query, body);
      responses.set(`${operation.method} ${operation.path}`, `${status} ${text.replaceAll(COUNTED, '')}`);
    }
    return responses;
  };

  test('gets the same responses as for missing objects, learns nothing and changes nothing', async () => {
    const admin = keyed(await platform.key('admin', tenant));
    const before = await everything(admin);
    const unread = [...before].filter(([, response]) => !response.startsWith('200 ')).map(([name]) => name);
    expect(unread.sort()).toEqual(UNREAD);
    const other = keyed(await platform.key('admin', stranger));
    const empty = nothing();
    const different = await misses(async (operation) => {
      const there = await ask(other, operation, own);
      const nowhere = await ask(other, operation, empty);
      if (there.text.includes(own['word']!)) return `tells ${there.text}`;
      const same = there.status === nowhere.status || ONCE.includes(operation.name);
      return same ? undefined : `${there.status} ${there.text} instead of ${nowhere.status} ${nowhere.text}`;
    });
    expect(different).toEqual([]);
    expect(await everything(admin)).toEqual(before);
  });
});

describe('the registry', () => {
  const PLACES: Record<string, string> = {
    blob: `blobs/sha256:${'0'.repeat(64)}`,
    uploads: 'blobs/uploads/',
    upload: `blobs/uploads/${randomUUID()}`,
    manifest: 'manifests/latest',
    tags: 'tags/list',
  };
  const token = (deployment_id: string, can: 'push' | 'pull', expires_at: number | null = null) =>
    issueRegistryToken(platform.deps.box, { deployment_id, can, expires_at });

  test('opens one repository to its own token until that expires', async () => {
    const { url } = platform;
    const admin = keyed(await platform.key('admin', tenant));
    const image = { name: 'of images', source: 'internal_container', secrets: [] };
    const { json: deployment } = await admin('POST', '/v2/deployments', image);
    const wrong: [string, number][] = [
      ['', 401],
      ['malformed', 401],
      [await platform.key('admin', tenant), 401],
      [token(deployment.id, 'push', Date.now() - 1), 401],
      [
        issueRegistryToken(new SealedBox(['another key']), {
          deployment_id: deployment.id,
          can: 'push',
          expires_at: null,
        }),
        401,
      ],
      [token(randomUUID(), 'push'), 403],
    ];
    for (const operation of REGISTRY_OPERATIONS) {
      const [method, place] = operation.split(' ') as [string, string];
      const status = async (password: string) =>
        (await new RegistryClient(url, `d/${deployment.id}/agent`, password).send(method, PLACES[place]!))
          .status;
      for (const [password, refused] of wrong)
        expect([operation, await status(password)]).toEqual([operation, refused]);
      const pulled = await status(token(deployment.id, 'pull'));
      expect([operation, pulled === 403]).toEqual([operation, method !== 'GET']);
      expect([401, 403]).not.toContain(await status(token(deployment.id, 'push')));
    }
  });
});

test('the gateway gives everyone the same response for missing and inactive deployments', async () => {
  const callers = [asker({}), keyed('malformed'), keyed(await platform.key('viewer', stranger))];
  for (const path of [`/d/${own['deployment_id']}/ok`, `/d/${randomUUID()}/ok`, `/r/${randomUUID()}/ok`]) {
    const statuses = await Promise.all(callers.map(async (caller) => (await caller('GET', path)).status));
    expect([path, new Set(statuses).size]).toEqual([path, 1]);
    expect([404, 503]).toContain(statuses[0]);
  }
});

test('gateway counts are visible to the workspace of the revisions and to platform keys', async () => {
  const agent = createServer((_request, response) => response.end('{}'));
  await once(agent.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}`;
  const { db } = platform.deps;
  const revision = await insertDeployable(platform.deps, '');
  const { id, deployment_id } = revision;
  await db.query('update control_plane.deployment set tenant_id = $2 where id = $1', [deployment_id, tenant]);
  await db.query(
    `insert into control_plane.instance (revision_id, deployment_id, host, port, url, state, lease_until)
     values ($1, $2, 'local', $3, $4, 'running', 'infinity')`,
    [id, deployment_id, new URL(url).port, url],
  );
  await activateRevision(db, deployment_id, { revision_id: id, custom_url: url });
  const answers = async (caller: Asker) => (await caller('GET', `/d/${deployment_id}/info`)).status;
  expect(await answers(asker({}))).toBe(401);
  expect(await answers(keyed(await platform.key('admin', stranger)))).toBe(403);
  expect(await answers(keyed(await platform.key('viewer', tenant)))).toBe(200);

  const metrics = async (named: string | null, headers: Record<string, string> = {}) => {
    const { status, text } = await keyed(await platform.key('admin', named), headers)('GET', '/metrics');
    expect(status).toBe(200);
    return text.split('\n').filter((line) => line && !line.startsWith('#'));
  };
  const counted = await metrics(tenant);
  expect(counted).toContain(`slipway_gateway_requests_total{revision_id="${id}",result="answered"} 1`);
  expect(counted).toContain(`slipway_gateway_answer_seconds_count{revision_id="${id}"} 1`);
  expect(await metrics(stranger)).toEqual([]);
  // Prometheus authenticates with a bearer token.
  const labels = `tenant_id="${tenant}",revision_id="${id}"`;
  expect(await metrics(null)).toContain(`slipway_gateway_requests_total{${labels},result="answered"} 1`);
  const authorization = `Bearer ${await platform.key('admin', null)}`;
  expect((await asker({ authorization })('GET', '/metrics')).text).toContain(
    `{${labels},result="answered"} 1`,
  );
  expect(await metrics(null, { 'x-tenant-id': tenant })).toEqual(counted);
  expect(await metrics(null, { 'x-tenant-id': stranger })).toEqual([]);
  for (const role of ['viewer', 'deployer'] as const)
    expect((await keyed(await platform.key(role, null))('GET', '/metrics')).status).toBe(403);
  agent.close();
});

test.each(['plain', 'a.b.c', 'slp-like_but-not'])(
  'a key of the form %s is good as a bearer',
  async (form) => {
    const key = `${form}${randomUUID()}`;
    await insertApiKey(platform.deps.db, key, { tenant_id: tenant, name: form, role: 'viewer' });
    for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }])
      expect((await asker(headers)('GET', '/v2/deployments')).status).toBe(200);
    expect((await asker({ authorization: `Bearer ${key}x` })('GET', '/v2/deployments')).status).toBe(401);
  },
);
