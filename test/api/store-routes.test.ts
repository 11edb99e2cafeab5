import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const put = (namespace: unknown, key: unknown, value: unknown = {}, more: object = {}) =>
  api.put('/store/items', { namespace, key, value, ...more });

test('put returns 204, get the stored item, and delete 204 even repeatedly', async () => {
  const written = await put(['users', 'ada'], 'prefs', { theme: 'dark' });
  expect([written.status, written.text]).toEqual([204, '']);
  const { status, json } = await api.get('/store/items?namespace=users.ada&key=prefs');
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      namespace: ['users', 'ada'],
      key: 'prefs',
      value: { theme: 'dark' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}\+00:00$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}\+00:00$/),
    },
  });
  const name = { namespace: ['users', 'ada'], key: 'prefs' };
  expect((await api.delete('/store/items', name)).status).toBe(204);
  expect((await api.delete('/store/items', name)).status).toBe(204);
  const gone = await api.get('/store/items?namespace=users.ada&key=prefs');
  expect([gone.status, gone.text]).toEqual([200, 'null']);
});

test('an item can be deleted by query parameters', async () => {
  await put(['q'], 'k');
  expect((await api.delete('/store/items?namespace=q&key=k')).status).toBe(204);
  expect((await api.get('/store/items?namespace=q&key=k')).json).toBeNull();
});

test.each([
  [[], 'k', {}, 400],
  [[''], 'k', {}, 422],
  [['a', 1], 'k', {}, 422],
  [['a.b'], 'k', {}, 422],
  [['langgraph', 'x'], 'k', {}, 422],
  ['a', 'k', {}, 422],
  [undefined, 'k', {}, 422],
  [['a'], undefined, {}, 422],
  [['a'], '', {}, 422],
  [['a'], 'k', 'text', 422],
  [['a'], 'k', [1], 422],
  [['a'], 'k', null, 422],
  [['a'], 'k', undefined, 422],
])('putting %j %j %j answers %i', async (namespace, key, value, status) => {
  const { status: answered, json } = await api.put('/store/items', { namespace, key, value });
  expect({ answered, json }).toEqual({ answered: status, json: { detail: expect.any(String) } });
});

test.each([
  [{ ttl: 0 }, 422],
  [{ ttl: -1 }, 422],
  [{ ttl: 1e300 }, 422],
  [{ ttl: '5' }, 422],
  [{ index: true }, 422],
  [{ index: 'a' }, 422],
  [{ ttl: null, index: null }, 204],
  [{ ttl: 0.5, index: false, unknown: 1 }, 204],
  [{ index: ['a.b', 'c[*].d'] }, 204],
])('putting with %j answers %i', async (more, status) => {
  expect((await put(['options'], 'k', {}, more)).status).toBe(status);
});

test('an item with a TTL expires', async () => {
  await put(['short'], 'k', {}, { ttl: 0.01 });
  await put(['short'], 'kept');
  await new Promise((done) => setTimeout(done, 700));
  expect((await api.get('/store/items?namespace=short&key=k')).json).toBeNull();
  expect((await api.post('/store/items/search', { namespace_prefix: ['short'] })).json.items).toHaveLength(1);
});

test.each([
  ['?namespace=a', 400],
  ['?namespace=a&key=', 400],
  ['?key=k', 400],
  ['?namespace=a..b&key=k', 422],
  ['?namespace=a&key=k&refresh_ttl=maybe', 422],
  ['?namespace=a&key=k&refresh_ttl=false', 200],
  ['?namespace=a&key=k%00', 200],
])('getting %s answers %i', async (query, status) => {
  const answer = await api.get(`/store/items${query}`);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual(status === 200 ? null : { detail: expect.any(String) });
});

test('a delete without a key is refused', async () => {
  expect((await api.delete('/store/items', { namespace: ['a'] })).status).toBe(422);
  expect((await api.delete('/store/items', { key: 'k' })).status).toBe(400);
});

test('search filters, paginates and returns null scores', async () => {
  for (let n = 0; n < 12; n += 1) await put(['found', n % 2 ? 'odd' : 'even'], `k${n}`, { n });
  const search = async (body: object) => (await api.post('/store/items/search', body)).json.items;
  const keys = (items: { key: string }[]) => items.map(({ key }) => key);
  expect(await search({ namespace_prefix: ['found'] })).toHaveLength(10);
  expect(keys(await search({ namespace_prefix: ['found', 'odd'], limit: 2, offset: 1 }))).toEqual([
    'k9',
    'k7',
  ]);
  expect(keys(await search({ namespace_prefix: ['found'], filter: { n: { $gte: 10 } } }))).toEqual([
    'k11',
    'k10',
  ]);
  expect(
    (await search({ namespace_prefix: ['found'], query: 'ignored', limit: 1, filter: null }))[0],
  ).toMatchObject({
    key: 'k11',
    score: null,
  });
  expect(await search({})).toHaveLength(10);
});

test.each([
  { filter: { a: { $near: 1 } } },
  { filter: { a: { $gt: [] } } },
  { filter: 'a' },
  { namespace_prefix: ['a.b'] },
  { namespace_prefix: 'a' },
  { limit: 0 },
  { limit: 1_001 },
  { offset: -1 },
])('searching for %j is refused', async (body) => {
  const { status, json } = await api.post('/store/items/search', body);
  expect({ status, json }).toEqual({ status: 422, json: { detail: expect.any(String) } });
});

test('lists distinct namespaces, truncated and filtered', async () => {
  for (const namespace of [
    ['tree', 'a', 'x'],
    ['tree', 'a', 'y'],
    ['tree', 'b', 'x'],
  ]) {
    await put(namespace, '1');
    await put(namespace, '2');
  }
  const list = async (body: object) => (await api.post('/store/namespaces', body)).json;
  expect(await list({ prefix: ['tree'] })).toEqual({
    namespaces: [
      ['tree', 'a', 'x'],
      ['tree', 'a', 'y'],
      ['tree', 'b', 'x'],
    ],
  });
  expect(await list({ prefix: ['tree'], max_depth: 2 })).toEqual({
    namespaces: [
      ['tree', 'a'],
      ['tree', 'b'],
    ],
  });
  expect(await list({ prefix: ['tree', '*', 'x'], limit: 1, offset: 1 })).toEqual({
    namespaces: [['tree', 'b', 'x']],
  });
  expect(await list({ suffix: ['b', 'x'], prefix: null })).toEqual({ namespaces: [['tree', 'b', 'x']] });
  expect((await api.post('/store/namespaces', { max_depth: 0 })).status).toBe(422);
});
