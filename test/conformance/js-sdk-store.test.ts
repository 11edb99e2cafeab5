import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { clientOf, eventually, SDKS } from './js-sdk-clients.ts';

const api = useApi();

describe.each(SDKS)('langgraph-sdk %s store', (_version, Sdk) => {
  const store = () => clientOf(Sdk, api).store;

  test('puts, reads, replaces and deletes an item', async () => {
    const namespace = ['users', randomUUID()];
    expect(await store().getItem(namespace, 'profile')).toBeNull();
    expect(await store().putItem(namespace, 'profile', { name: 'Ada', tags: ['x'] })).toBeUndefined();
    const item = (await store().getItem(namespace, 'profile'))!;
    expect(item).toMatchObject({ namespace, key: 'profile', value: { name: 'Ada', tags: ['x'] } });
    expect(item.createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
    await store().putItem(namespace, 'profile', { name: 'Bob' });
    const replaced = (await store().getItem(namespace, 'profile'))!;
    expect(replaced).toMatchObject({ value: { name: 'Bob' }, createdAt: item.createdAt });
    expect(replaced.updatedAt > item.updatedAt).toBe(true);
    expect(await store().deleteItem(namespace, 'profile')).toBeUndefined();
    expect(await store().getItem(namespace, 'profile')).toBeNull();
    expect(await store().deleteItem(namespace, 'profile')).toBeUndefined();
  });

  test('searchItems filters by prefix and values, latest first, in pages', async () => {
    const root = randomUUID();
    for (const n of [1, 2, 3])
      await store().putItem([root, `g${n % 2}`], `k${n}`, { n, odd: n % 2 === 1, at: { city: 'x' } });
    const keys = async (prefix: string[], options: object = {}) =>
      (await store().searchItems(prefix, options)).items.map(({ key }) => key);
    expect(await keys([root])).toEqual(['k3', 'k2', 'k1']);
    expect(await keys([root, 'g1'])).toEqual(['k3', 'k1']);
    expect(await keys([root.slice(0, 8)])).toEqual([]);
    expect(await keys([root], { filter: { odd: true } })).toEqual(['k3', 'k1']);
    expect(await keys([root], { filter: { n: { $gte: 2 }, odd: false } })).toEqual(['k2']);
    expect(await keys([root], { filter: { n: { $ne: 2 } } })).toEqual(['k3', 'k1']);
    expect(await keys([root], { filter: { at: { city: 'x' } } })).toHaveLength(3);
    expect(await keys([root], { limit: 1, offset: 1 })).toEqual(['k2']);
    expect(await keys([root], { query: 'anything' })).toHaveLength(3);
    const [item] = (await store().searchItems([root], { limit: 1 })).items;
    expect(item).toMatchObject({
      namespace: [root, 'g1'],
      key: 'k3',
      value: { n: 3 },
      createdAt: expect.any(String),
    });
    await expect(keys([root], { filter: { n: { $like: 'x' } } })).rejects.toMatchObject({ status: 422 });
  });

  test('listNamespaces filters by prefix, suffix and depth', async () => {
    const root = randomUUID();
    for (const path of [
      ['a', 'x', 'p'],
      ['a', 'y'],
      ['b', 'x'],
    ])
      await store().putItem([root, ...path], 'k', {});
    const list = async (options: object) =>
      (await store().listNamespaces(options)).namespaces.map((path) => path.slice(1).join('/')).sort();
    expect(await list({ prefix: [root] })).toEqual(['a/x/p', 'a/y', 'b/x']);
    expect(await list({ prefix: [root, 'a'] })).toEqual(['a/x/p', 'a/y']);
    expect(await list({ prefix: [root, '*', 'x'] })).toEqual(['a/x/p', 'b/x']);
    expect(await list({ prefix: [root], suffix: ['x'] })).toEqual(['b/x']);
    expect(await list({ prefix: [root], maxDepth: 2 })).toEqual(['a', 'b']);
    expect(await list({ prefix: [root], limit: 1, offset: 2 })).toHaveLength(1);
  });

  test('an item with a TTL is read with or without refreshing it', async () => {
    const namespace = [randomUUID()];
    await store().putItem(namespace, 'short', { n: 1 }, { ttl: 0.01 });
    await store().putItem(namespace, 'hour', { n: 2 }, { ttl: 60 });
    await store().putItem(namespace, 'long', { n: 3 }, { ttl: null, index: false });
    expect(await store().getItem(namespace, 'hour', { refreshTtl: false })).toMatchObject({
      value: { n: 2 },
    });
    await eventually(async () => (await store().getItem(namespace, 'short', { refreshTtl: false })) === null);
    expect((await store().searchItems(namespace)).items.map(({ key }) => key)).toEqual(['long', 'hour']);
  });

  test('invalid names are refused', async () => {
    await expect(store().putItem([], 'k', {})).rejects.toMatchObject({ status: 400 });
    await expect(store().putItem([''], 'k', {})).rejects.toMatchObject({ status: 422 });
    await expect(store().putItem(['langgraph', 'x'], 'k', {})).rejects.toMatchObject({ status: 422 });
    await expect(store().putItem(['x'], 'k', 'text' as never)).rejects.toMatchObject({ status: 422 });
    await expect(store().putItem(['a.b'], 'k', {})).rejects.toThrow('periods');
  });

  test('a graph and a client share the store', async () => {
    const user_id = randomUUID();
    await store().putItem(['memories', user_id], 'tea', { text: 'likes tea' });
    const { runs } = clientOf(Sdk, api);
    const recalled = await runs.wait(null, 'stateful', { input: { remember: 'cake' }, context: { user_id } });
    expect(recalled).toMatchObject({ memories: ['cake', 'likes tea'] });
    expect(await store().getItem(['memories', user_id], 'cake')).toMatchObject({ value: { text: 'cake' } });
  });
});
