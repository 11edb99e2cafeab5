import { expect, test } from '@jest/globals';
import { as, GUARDED } from '../support/guarded.ts';
import { statusUnder } from '../support/status-under.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ config: GUARDED, env: { SLIPWAY_LOG_LEVEL: 'debug' } });
const [alice, nobody] = [as(api, 'alice'), as(api)];

const whoami = (headers: Record<string, string>) =>
  api.post(
    '/runs/wait',
    { assistant_id: 'whoami', input: { user: 0 }, config: { configurable: { 'x-forged': 1 } } },
    headers,
  );

test('everything but health, metrics and the OpenAPI document needs a credential', async () => {
  for (const path of ['/', '/ok', '/info', '/metrics', '/docs', '/openapi.json']) {
    expect([path, (await nobody.get(path)).status]).toEqual([path, 200]);
  }
  const { paths } = (await nobody.get('/openapi.json')).json;
  const open = ['/', '/ok', '/info', '/metrics'];
  const guarded = Object.keys(paths).filter((path) => !open.includes(path) && !path.startsWith('/ui/'));
  expect(guarded.length).toBeGreaterThan(30);
  for (const path of guarded) {
    const [method] = Object.keys(paths[path]);
    const concrete = path.replaceAll(/\{[^}]*\}/g, '00000000-0000-4000-8000-000000000000');
    const response = await fetch(api.url + concrete, { method: method!.toUpperCase() });
    expect([path, response.status]).toEqual([path, 401]);
    await response.body?.cancel();
  }
  // With authentication, the server's host name does not matter.
  expect(await statusUnder('agents.example', `${api.url}/ok`)).toBe(200);
});

test('the OpenAPI document describes how to authenticate', async () => {
  expect((await nobody.get('/openapi.json')).json).toMatchObject({
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  });
});

test('a graph knows its user, which clients cannot set', async () => {
  const { json } = await api.post(
    '/runs/wait',
    {
      assistant_id: 'whoami',
      input: { user: 0 },
      config: {
        configurable: { langgraph_auth_user_id: 'mallory', langgraph_auth_user: { identity: 'mallory' } },
      },
    },
    alice.headers,
  );
  expect(json.user).toEqual({
    langgraph_auth_user: {
      identity: 'alice',
      display_name: 'ALICE',
      department: 'R&D',
      is_authenticated: true,
      permissions: ['write'],
    },
    langgraph_auth_user_id: 'alice',
    langgraph_auth_permissions: ['write'],
    user_id: 'alice',
  });
});

test('headers reach a graph only if the project opts in, credentials never', async () => {
  const { json } = await whoami({
    ...alice.headers,
    'x-team-name': 'blue',
    'x-team-secret': 's',
    'x-other': 'o',
    'x-api-key': 'k',
  });
  expect(json.headers).toEqual({ 'x-team-name': 'blue', 'x-forged': 1 });
  await until('The request is logged', async () => api.server.logs().includes('"x-team-name":"blue"'));
  expect(api.server.logs()).not.toContain('"x-other"');
});

test('the Studio scheme has its own user', async () => {
  const studio = { 'x-auth-scheme': 'langsmith' };
  const { json } = await whoami(studio);
  expect(json.user.langgraph_auth_user).toMatchObject({
    identity: 'langgraph-studio-user',
    kind: 'StudioUser',
  });
  const { json: thread } = await alice.post('/threads');
  expect((await api.get(`/threads/${thread.thread_id}`, studio)).status).toBe(200);
});

test('a preflight needs no credential', async () => {
  const { status, headers } = await fetch(`${api.url}/threads`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});
