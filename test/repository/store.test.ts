import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { Store } from '../../src/agent-server/store/store-service.ts';
import { item, keysFound, openStore, search } from '../support/use-store.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
let store: Store;
beforeAll(async () => {
  store = await openStore(database.db);
});

test('writes, reads, overwrites and deletes an item', async () => {
  const at = { namespace: ['users', 'ada'], key: 'prefs' };
  await store.put({ ...at, value: { theme: 'dark', n: 1.5 } });
  const first = await store.get(at);
  expect(first).toEqual({
    ...at,
    value: { theme: 'dark', n: 1.5 },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}\+00:00$/),
    updated_at: expect.any(String),
  });
  await store.put({ ...at, value: { theme: 'light' } });
  const second = await store.get(at);
  expect(second).toMatchObject({ value: { theme: 'light' }, created_at: first!.created_at });
  expect(second!.updated_at > first!.updated_at).toBe(true);
  await store.delete(at);
  await store.delete(at);
  expect(await store.get(at)).toBeNull();
});

test('names and values survive with any characters', async () => {
  const odd = { namespace: ["o'hara", 'a/b', 'ünï 😀', '%_\\', '*'], key: `k"';--` };
  const value = {
    'ke y': [null, true, 1e300, -0.5, ''],
    nested: { "q'": '\u{1F600}\n' },
    big: 'x'.repeat(100_000),
  };
  await store.put({ ...odd, value });
  expect(await store.get(odd)).toMatchObject({ ...odd, value });
  expect(await store.search(search(odd.namespace))).toHaveLength(1);
});

test('characters that Postgres cannot store are replaced, not refused', async () => {
  await store.put(item(['nul\0'], 'k\0', { a: 'x\0y', b: '\ud800' }));
  expect(await store.get({ namespace: ['nul\uFFFD'], key: 'k\uFFFD' })).toMatchObject({
    value: { a: 'x\uFFFDy', b: '\uFFFD' },
  });
  expect(await keysFound(store, ['nul\0'], { filter: { a: 'x\0y' } })).toEqual(['k\uFFFD']);
});

test('items with the same key in other namespaces are independent', async () => {
  await store.put(item(['n', 'a'], 'k', { at: 'a' }));
  await store.put(item(['n', 'a', 'b'], 'k', { at: 'ab' }));
  await store.put(item(['n'], 'k', { at: '' }));
  expect(await store.get({ namespace: ['n', 'a'], key: 'k' })).toMatchObject({ value: { at: 'a' } });
  await store.delete({ namespace: ['n'], key: 'k' });
  expect(await keysFound(store, ['n'])).toHaveLength(2);
});

test('search returns items under the prefix, latest change first, in pages', async () => {
  for (const [labels, key] of [
    [['pages'], 'top'],
    [['pages', 'one'], 'a'],
    [['pages', 'one', 'deep'], 'b'],
    [['pages', 'one-more'], 'c'],
    [['pages2'], 'other'],
  ] as const) {
    await store.put(item([...labels], key));
  }
  await store.put(item(['pages', 'one'], 'a', { changed: true }));
  expect(await keysFound(store, ['pages'])).toEqual(['a', 'c', 'b', 'top']);
  expect(await keysFound(store, ['pages', 'one'])).toEqual(['a', 'b']);
  expect(await keysFound(store, ['pages'], { limit: 2, offset: 1 })).toEqual(['c', 'b']);
  expect(await keysFound(store, ['pages'], { offset: 4 })).toEqual([]);
  expect(await keysFound(store, ['page'])).toEqual([]);
  expect((await store.search(search(['pages'])))[0]).toMatchObject({ score: null });
});

test('an empty prefix finds everything; without an index the query is ignored', async () => {
  const all = await store.search(search([], { limit: 1_000 }));
  expect(all.length).toBeGreaterThan(4);
  expect(await store.search(search([], { limit: 1_000, query: 'anything' }))).toEqual(all);
});

test.each([
  [[], 400],
  [[''], 422],
  [['a.b'], 422],
])('the namespace %j answers %i to every operation on an item', async (namespace, status) => {
  const refused = { status };
  await expect(store.put(item(namespace, 'k'))).rejects.toMatchObject(refused);
  await expect(store.get({ namespace, key: 'k' })).rejects.toMatchObject(refused);
  await expect(store.delete({ namespace, key: 'k' })).rejects.toMatchObject(refused);
});

test('names up to the index limit are accepted, longer ones refused', async () => {
  const key = randomBytes(990).toString('hex');
  await store.put(item(['long', 'x'.repeat(14)], key));
  await expect(store.put(item(['long', 'x'.repeat(15)], key))).rejects.toMatchObject({ status: 422 });
  expect(await keysFound(store, ['long'])).toEqual([key]);
});

test('of parallel writes of one item, one remains', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, n) => store.put(item(['race'], 'k', { n }))));
  expect(await store.search(search(['race']))).toHaveLength(1);
});
