import { InMemoryStore } from '@langchain/langgraph';
import { expect, test } from '@jest/globals';
import { openStore, search } from '../support/use-store.ts';

const config = { path: './store.ts:store' };
const noDatabase = undefined as never;

test.each<[string, () => unknown]>([
  ['a store', () => new InMemoryStore()],
  ['a function that makes one', () => async () => new InMemoryStore()],
])('a project may bring %s of its own', async (_, exported) => {
  const store = await openStore(noDatabase, config, exported());
  const at = { namespace: ['own', 'a'], key: 'k' };
  await store.put({ ...at, value: { n: 1 }, ttl: null, index: null });
  expect(await store.get(at)).toEqual({
    ...at,
    value: { n: 1 },
    created_at: expect.stringMatching(/\.\d{6}\+00:00$/),
    updated_at: expect.any(String),
  });
  expect(await store.search(search(['own'], { filter: { n: { $gt: 0 } } }))).toMatchObject([
    { key: 'k', score: null },
  ]);
  expect(await store.listNamespaces({ prefix: ['*', 'a'], max_depth: 1, limit: 5, offset: 0 })).toEqual([
    ['own'],
  ]);
  expect(await store.forGraph.get(['own', 'a'], 'k')).toMatchObject({ value: { n: 1 } });
  await store.delete(at);
  expect(await store.get(at)).toBeNull();
  await expect(store.put({ namespace: [], key: 'k', value: {} })).rejects.toMatchObject({ status: 400 });
});

test('an invalid store prevents the start', async () => {
  await expect(openStore(noDatabase, config, {})).rejects.toMatchObject({
    name: 'InvalidProject',
    message: expect.stringContaining('./store.ts:store is not a store'),
  });
});
