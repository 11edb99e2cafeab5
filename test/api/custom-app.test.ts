import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { as, GUARDED } from '../support/guarded.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ config: GUARDED });

test('custom routes need no credential', async () => {
  const hello = await api.get('/custom/hello');
  expect([hello.status, hello.json]).toEqual([200, { hello: 'stranger' }]);
  const echo = await api.post('/custom/echo', 'said and done');
  expect([echo.status, echo.text]).toEqual([201, 'said and done']);
  const empty = await api.get('/custom/empty');
  expect([empty.status, empty.text]).toEqual([204, '']);
  expect((await api.get('/custom/stream')).text).toBe('one\ntwo\nthree\n');
  const teapot = await api.get('/custom/teapot');
  expect([teapot.status, teapot.text]).toEqual([418, 'short and stout']);
});

test('custom routes can replace /info, but not /ok', async () => {
  expect((await api.get('/info')).json).toEqual({ mine: true });
  expect((await api.get('/ok')).json).toEqual({ ok: true });
});

test('a WebSocket to an application in JavaScript is closed with 4404', async () => {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/custom/hello`);
  const [code] = (await once(socket, 'close')) as [number];
  expect(code).toBe(4404);
});

test('middleware sees requests to built-in routes, can refuse them and add headers', async () => {
  const { headers } = as(api, 'alice');
  const passed = await api.post('/threads/search', {}, headers);
  expect([passed.status, passed.headers.get('x-middleware')]).toEqual([200, 'seen']);
  const refused = await api.post('/threads/search', {}, { ...headers, 'x-blocked': '1' });
  expect([refused.status, refused.json]).toEqual([403, { blocked: true }]);
});

test('middleware can read and change the body of a request to a built-in route', async () => {
  const { headers } = as(api, 'alice');
  const create = (how: string) =>
    api.post('/threads', { metadata: { mine: 'ü' } }, { ...headers, 'x-body': how });
  for (const how of ['read', 'take']) {
    const seen = await create(how);
    expect([seen.status, seen.headers.get('x-body-keys'), seen.json.metadata.mine]).toEqual([
      200,
      'metadata',
      'ü',
    ]);
  }
  expect((await create('change')).json.metadata).toMatchObject({ added: 'by middleware' });
  expect((await create('')).json.metadata.mine).toBe('ü');
  const broken = await api.post('/threads', '{', { ...headers, 'x-body': 'none' });
  expect([broken.status, broken.json]).toEqual([422, { detail: 'Invalid JSON in request body' }]);
});

test('a built-in route gets the whole body even if middleware read a part', async () => {
  const { headers } = as(api, 'alice');
  const large = 'x'.repeat(1_000_000);
  const body = { metadata: { large } };
  const seen = await api.post('/threads', body, { ...headers, 'x-body': 'peek' });
  expect([seen.status, seen.headers.get('x-body-keys')]).toEqual([200, 'true']);
  expect(seen.json.metadata.large).toBe(large);
});

test('a webhook can be a path of the custom app', async () => {
  const body = { assistant_id: 'echo', input: { text: 'hi' }, webhook: '/custom/hook?key=1' };
  const { json: run } = await api.post('/runs', body, as(api, 'alice').headers);
  const taken = async () => (await api.get('/custom/hooks')).json as { run_id: string; status: string }[];
  await until('The webhook is out', async () => (await taken()).length > 0);
  expect(await taken()).toEqual([expect.objectContaining({ run_id: run.run_id, status: 'success' })]);
});

test("an unknown path is the server's 404", async () => {
  const { status, json } = await api.get('/custom/nothing');
  expect([status, json]).toEqual([404, { detail: 'Not Found' }]);
});
