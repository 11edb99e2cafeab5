import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { as } from '../support/guarded.ts';
import { sendRaw } from '../support/send-raw.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ config: fileURLToPath(new URL('test/fixtures/guarded/strict.json', packageRoot)) });

const studio = { 'x-auth-scheme': 'langsmith' };

test('custom routes are authenticated if the project enables it', async () => {
  const refused = await api.get('/agents/custom/hello');
  expect([refused.status, refused.json]).toEqual([401, { detail: 'Who are you?' }]);
  const { status, json } = await as(api, 'ann').get('/agents/custom/hello');
  expect([status, json]).toEqual([200, { hello: expect.stringMatching(/^visitor \d+$/) }]);
});

test('a custom route calls the server as its user, under any mount path', async () => {
  expect((await as(api, 'ann').get('/agents/custom/threads?bare=1')).json).toBe(0);
});

test.each(['/agents/ui/..\\custom/hello', '/agents/ui/x/..\\..\\custom\\hello', '/agents/ui/../info'])(
  'no spelling of an open path leads to a custom route: %s',
  async (path) => {
    const answer = await sendRaw(api.url, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\{"detail":"Malformed path: /s);
  },
);

test('a custom route sees the original path', async () => {
  const head = 'HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ann\r\n\r\n';
  const answer = await sendRaw(api.url, `GET /agents//b.example/custom/hello ${head}`);
  expect(answer).toMatch(/^HTTP\/1\.1 404 .*\{"detail":"Not Found"\}$/s);
});

test('equal credentials are checked once while cached', async () => {
  const names: string[] = [];
  for (const name of ['cleo', 'cleo', 'dan'])
    names.push((await as(api, name).get('/agents/custom/hello')).json.hello);
  expect([names[0] === names[1], names[1] === names[2]]).toEqual([true, false]);
});

test('routes of ours that need no credential pass through middleware without one', async () => {
  const root = await api.get('/');
  expect([root.status, root.headers.get('x-middleware')]).toEqual([200, 'seen']);
  expect((await api.get('/', { 'x-blocked': '1' })).json).toEqual({ blocked: true });
});

test("authentication runs before the project's middleware", async () => {
  expect((await api.get('/agents/assistants/echo', { 'x-blocked': '1' })).status).toBe(401);
  const blocked = await as(api, 'ann', { 'x-blocked': '1' }).get('/agents/assistants/echo');
  expect([blocked.status, blocked.json]).toEqual([403, { blocked: true }]);
});

test('the Studio scheme can be switched off', async () => {
  expect((await api.get('/agents/assistants/echo', studio)).status).toBe(401);
});

test('all routes but the probes are under the prefix', async () => {
  const ann = as(api, 'ann');
  expect((await ann.get('/agents/assistants/echo')).json.graph_id).toBe('echo');
  expect(
    (await ann.post('/agents/runs/wait', { assistant_id: 'echo', input: { text: 'hi' } })).json.echo,
  ).toBe('hi');
  const found = await Promise.all(['/ok', '/metrics', '/agents/ok'].map((path) => api.get(path)));
  expect(found.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { status, json } = await ann.get('/assistants/echo');
  expect([status, json]).toEqual([404, { detail: 'Not Found' }]);
});

test("CORS follows the project's rules", async () => {
  const preflight = (origin: string) =>
    fetch(`${api.url}/agents/threads`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const one = await preflight('https://one.example');
  expect(Object.fromEntries(one.headers)).toMatchObject({
    'access-control-allow-origin': 'https://one.example',
    'access-control-allow-methods': 'GET,POST',
    'access-control-allow-headers': 'authorization',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '60',
  });
  const two = await preflight('https://a.two.example');
  expect(two.headers.get('access-control-allow-origin')).toBe('https://a.two.example');
  for (const origin of ['https://three.example', 'https://a.two.example.evil', 'https://one.example.evil']) {
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
  }
  const plain = await as(api, 'ann', { origin: 'https://one.example' }).get('/agents/assistants/echo');
  expect(plain.headers.get('access-control-expose-headers')).toContain('x-middleware');
});
