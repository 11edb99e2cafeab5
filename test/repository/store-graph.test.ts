import { beforeAll, expect, test } from '@jest/globals';
import {
  Annotation,
  AsyncBatchedStore,
  BaseStore,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { useDatabase } from '../support/use-database.ts';
import { type OpenStore, openStore } from '../support/use-store.ts';

const database = useDatabase();
let store: OpenStore;
let graphStore: BaseStore;
beforeAll(async () => {
  store = await openStore(database.db);
  graphStore = store.forGraph;
});

test("is a store of the project's own engine, with item dates", async () => {
  expect(graphStore).toBeInstanceOf(BaseStore);
  await graphStore.put(['g', 'one'], 'k', { a: 1 });
  expect(await graphStore.get(['g', 'one'], 'k')).toEqual({
    namespace: ['g', 'one'],
    key: 'k',
    value: { a: 1 },
    createdAt: expect.any(Date),
    updatedAt: expect.any(Date),
  });
  expect(await graphStore.search(['g'], { filter: { a: { $gte: 1 } } })).toMatchObject([
    { key: 'k', score: undefined },
  ]);
  await graphStore.delete(['g', 'one'], 'k');
  expect(await graphStore.get(['g', 'one'], 'k')).toBeNull();
});

test('HTTP and graphs see the same items', async () => {
  await store.put({ namespace: ['shared'], key: 'h', value: { by: 'http' } });
  expect(await graphStore.get(['shared'], 'h')).toMatchObject({ value: { by: 'http' } });
  await graphStore.put(['shared'], 'g', { by: 'graph' });
  expect(await store.get({ namespace: ['shared'], key: 'g' })).toMatchObject({ value: { by: 'graph' } });
});

test('a batch reads before it writes, and the last write of an item wins', async () => {
  await graphStore.put(['b'], 'old', { n: 0 });
  const results = await graphStore.batch([
    { namespace: ['b'], key: 'old', value: { n: 1 } },
    { namespace: ['b'], key: 'old' },
    { namespace: ['b'], key: 'none' },
    { namespacePrefix: ['b'], limit: 5 },
    { namespace: ['b'], key: 'new', value: { n: 1 } },
    { namespace: ['b'], key: 'new', value: { n: 2 } },
    { namespace: ['b'], key: 'gone', value: { n: 1 } },
    { namespace: ['b'], key: 'gone', value: null },
    { matchConditions: [{ matchType: 'prefix', path: ['b'] }], limit: 10, offset: 0 },
  ]);
  expect(results).toMatchObject([
    undefined,
    { value: { n: 0 } },
    null,
    [{ key: 'old' }],
    undefined,
    undefined,
    undefined,
    undefined,
    [['b']],
  ]);
  const after = await graphStore.batch([
    { namespace: ['b'], key: 'old' },
    { namespace: ['b'], key: 'new' },
    { namespace: ['b'], key: 'gone' },
  ]);
  expect(after).toMatchObject([{ value: { n: 1 } }, { value: { n: 2 } }, null]);
});

test('an empty batch makes no round trip', async () => {
  expect(await graphStore.batch([])).toEqual([]);
});

test('lists namespaces as the base class requests', async () => {
  await graphStore.put(['l', 'a', 'v1'], 'k', {});
  await graphStore.put(['l', 'b', 'v1'], 'k', {});
  expect(await graphStore.listNamespaces({ prefix: ['l'], suffix: ['v1'] })).toEqual([
    ['l', 'a', 'v1'],
    ['l', 'b', 'v1'],
  ]);
  expect(await graphStore.listNamespaces({ prefix: ['l'], maxDepth: 1 })).toEqual([['l']]);
  expect(await graphStore.listNamespaces({ prefix: ['l', '*', 'v1'], limit: 1, offset: 1 })).toEqual([
    ['l', 'b', 'v1'],
  ]);
});

test('an invalid namespace is refused by the engine for writes, and empty for reads', async () => {
  const batched = new AsyncBatchedStore(graphStore);
  batched.start();
  await expect(batched.put(['a.b'], 'k', {})).rejects.toThrow(/period/);
  await expect(batched.put([], 'k', {})).rejects.toThrow(/empty/);
  await expect(batched.put(['langgraph'], 'k', {})).rejects.toThrow(/langgraph/);
  await graphStore.put(['a', 'b'], 'k', {});
  // Newer engines also reject these, before they reach the store.
  const asked = [
    { namespace: ['a.b'], key: 'k' },
    { namespacePrefix: ['a.b'], limit: 10, offset: 0 },
  ];
  expect(await graphStore.batch(asked)).toEqual([null, []]);
  expect(await batched.get([], 'k')).toBeNull();
  await batched.stop();
});

test('values become plain JSON', async () => {
  await graphStore.put(['json'], 'k', { when: new Date(0), gone: undefined, list: [undefined] });
  expect((await graphStore.get(['json'], 'k'))!.value).toEqual({
    when: '1970-01-01T00:00:00.000Z',
    list: [null],
  });
  expect(await graphStore.search(['json'], { filter: { when: new Date(0), other: undefined } })).toHaveLength(
    1,
  );
});

test('concurrent batches of the same items do not deadlock', async () => {
  const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
  const shuffled = () => keys.map((key) => ({ key, at: Math.random() })).sort((a, b) => a.at - b.at);
  const batches = Array.from({ length: 20 }, (_, n) =>
    graphStore.batch(
      shuffled().map(({ key }, i) => ({
        namespace: ['crowd'],
        key,
        value: (i + n) % 3 === 0 ? null : { n },
      })),
    ),
  );
  expect(await Promise.all(batches)).toHaveLength(20);
});

test('a node keeps memories between runs', async () => {
  const State = Annotation.Root({ name: Annotation<string>, seen: Annotation<number> });
  const graph = new StateGraph(State)
    .addNode('count', async ({ name }, { store: memory }: LangGraphRunnableConfig) => {
      const known = await memory!.get(['visits'], name);
      const seen = ((known?.value['seen'] as number | undefined) ?? 0) + 1;
      await memory!.put(['visits'], name, { seen });
      return { seen };
    })
    .addEdge(START, 'count')
    .addEdge('count', END)
    .compile({ store: graphStore });
  await graph.invoke({ name: 'ada' });
  await graph.invoke({ name: 'bob' });
  expect(await graph.invoke({ name: 'ada' })).toMatchObject({ seen: 2 });
  expect(
    await store.search({ namespace_prefix: ['visits'], filter: { seen: 2 }, limit: 10, offset: 0 }),
  ).toHaveLength(1);
});

test('a serialised configuration reveals nothing of the database', () => {
  expect(JSON.stringify({ store: graphStore })).toBe('{"store":{"store":"[SlipwayStore]"}}');
});
