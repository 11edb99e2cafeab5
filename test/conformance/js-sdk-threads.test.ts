import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { client1Of, clientOf, SDKS } from './js-sdk-clients.ts';

const api = useApi();
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

describe.each(SDKS)('langgraph-sdk %s threads', (_version, Sdk) => {
  const sdk = () => clientOf(Sdk, api);
  const client = () => sdk().threads;

  test('create returns the whole record of a new thread', async () => {
    const thread = await client().create({ metadata: { owner: 'ada' } });
    expect(thread).toEqual({
      thread_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      state_updated_at: expect.stringMatching(TIMESTAMP),
      metadata: { owner: 'ada' },
      status: 'idle',
      config: {},
      values: null,
      interrupts: {},
      error: null,
    });
    expect(await client().get(thread.thread_id)).toEqual(thread);
  });

  test('an existing id is refused, or its thread returned on request', async () => {
    const threadId = randomUUID();
    const first = await client().create({ threadId, metadata: { n: 1 } });
    expect(first.thread_id).toBe(threadId);
    await expect(client().create({ threadId })).rejects.toMatchObject({ status: 409 });
    await expect(client().create({ threadId, ifExists: 'raise' })).rejects.toMatchObject({ status: 409 });
    expect(await client().create({ threadId, ifExists: 'do_nothing', metadata: { n: 2 } })).toEqual(first);
    await expect(client().create({ threadId: 'no-uuid' })).rejects.toMatchObject({ status: 422 });
  });

  test('graphId is kept in the metadata', async () => {
    expect(await client().create({ graphId: 'echo' })).toMatchObject({ metadata: { graph_id: 'echo' } });
  });

  test('a TTL in minutes deletes by default; keep_latest is stored', async () => {
    const ttlOf = async (id: string) => (await api.get(`/threads/${id}?include=ttl`)).json.ttl;
    const short = await client().create({ ttl: 5 });
    expect(short).not.toHaveProperty('ttl');
    const ttl = await ttlOf(short.thread_id);
    expect(ttl).toEqual({ strategy: 'delete', ttl_minutes: 5, expires_at: expect.stringMatching(TIMESTAMP) });
    expect(Date.parse(ttl.expires_at) - Date.parse(short.created_at)).toBeCloseTo(300_000, -3);
    const kept = await client().create({ ttl: { ttl: 60, strategy: 'keep_latest' as 'delete' } });
    expect(await ttlOf(kept.thread_id)).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 });
    await client().update(kept.thread_id, { ttl: 7 });
    expect(await ttlOf(kept.thread_id)).toMatchObject({ strategy: 'delete', ttl_minutes: 7 });
  });

  test('supersteps replay state updates in order', async () => {
    const thread = await client().create({
      graphId: 'approval',
      supersteps: [
        { updates: [{ values: { topic: 'cats' }, asNode: '__start__' }] },
        { updates: [{ values: { draft: 'mine' }, asNode: 'write' }] },
      ],
    });
    expect(thread).toMatchObject({ status: 'interrupted', values: { topic: 'cats', draft: 'mine' } });
    const state = await client().getState(thread.thread_id);
    expect(state).toMatchObject({ values: { draft: 'mine' }, next: ['review'] });
    const history = await client().getHistory(thread.thread_id);
    expect(history.map(({ values }) => values)).toEqual([
      { topic: 'cats', draft: 'mine' },
      { topic: 'cats' },
    ]);
    expect(history.map(({ metadata }) => metadata!['source'])).toEqual(['update', 'update']);
    expect(await sdk().runs.wait(thread.thread_id, 'approval', { input: null })).toMatchObject({
      __interrupt__: [{ value: { question: 'Publish?', draft: 'mine' } }],
    });
  });

  test('supersteps that the graph rejects leave no thread behind', async () => {
    const threadId = randomUUID();
    const supersteps = [{ updates: [{ values: { topic: 'x' }, asNode: 'nobody' }] }];
    await expect(client().create({ threadId, graphId: 'approval', supersteps })).rejects.toMatchObject({
      status: 400,
    });
    await expect(client().get(threadId)).rejects.toMatchObject({ status: 404 });
    await expect(client().create({ threadId, supersteps })).rejects.toMatchObject({ status: 400 });
  });

  test('update merges metadata without changing state_updated_at', async () => {
    const before = await client().create({ metadata: { a: 1, b: 1 } });
    const after = await client().update(before.thread_id, { metadata: { b: 2, thread_id: 'mine' } });
    expect(after).toMatchObject({ metadata: { a: 1, b: 2 }, state_updated_at: before.state_updated_at });
    expect(Object.keys(after.metadata!)).toEqual(['a', 'b']);
    expect(after.updated_at > before.updated_at).toBe(true);
    await expect(client().update(randomUUID(), { metadata: {} })).rejects.toMatchObject({ status: 404 });
  });

  test('delete removes the thread with its runs', async () => {
    const { thread_id } = await client().create();
    await sdk().runs.wait(thread_id, 'echo', { input: { text: 'x' } });
    await client().delete(thread_id);
    await expect(client().get(thread_id)).rejects.toMatchObject({ status: 404 });
    await expect(client().delete(thread_id)).rejects.toMatchObject({ status: 404 });
    await expect(sdk().runs.list(thread_id)).rejects.toMatchObject({ status: 404 });
  });

  test('copy includes metadata, values and the whole history', async () => {
    const { thread_id } = await client().create({ metadata: { owner: 'ada' } });
    await sdk().runs.wait(thread_id, 'steps', { input: { steps: 2 } });
    const copy = await client().copy(thread_id);
    expect(copy).toMatchObject({
      status: 'idle',
      config: {},
      values: { steps: 2, done: [1, 2] },
      metadata: { owner: 'ada' },
    });
    expect(copy.thread_id).not.toBe(thread_id);
    const [own, copied] = await Promise.all([thread_id, copy.thread_id].map((id) => client().getHistory(id)));
    expect(copied!.map(({ values, next }) => [values, next])).toEqual(
      own!.map(({ values, next }) => [values, next]),
    );
    expect(copied![0]!.checkpoint.thread_id).toBe(copy.thread_id);
    await sdk().runs.wait(copy.thread_id, 'steps', { input: { steps: 3 } });
    expect((await client().getState(copy.thread_id)).values).toMatchObject({ done: [1, 2, 3] });
    expect((await client().getState(thread_id)).values).toMatchObject({ done: [1, 2] });
    await expect(client().copy(randomUUID())).rejects.toMatchObject({ status: 409 });
  });

  test('search filters by metadata, values, status and ids; count matches', async () => {
    const lot = randomUUID();
    const made = [];
    for (const n of [1, 2, 3])
      made.push(await client().create({ metadata: { lot, n, tags: ['x', `t${n}`] } }));
    const [one, two, three] = made.map(({ thread_id }) => thread_id) as [string, string, string];
    await sdk().runs.wait(two, 'echo', { input: { text: 'hi' } });
    await sdk().runs.wait(three, 'approval', { input: { topic: 'x' } });
    const ids = async (query: object) => (await client().search(query)).map(({ thread_id }) => thread_id);
    expect(await ids({ metadata: { lot } })).toEqual([three, two, one]);
    expect(await ids({ metadata: { lot, tags: ['t2'] } })).toEqual([two]);
    expect(await ids({ metadata: { lot }, status: 'interrupted' })).toEqual([three]);
    expect(await ids({ metadata: { lot }, values: { echo: 'hi' } })).toEqual([two]);
    expect((await ids({ ids: [one, three, randomUUID()] })).sort()).toEqual([one, three].sort());
    expect(await ids({ metadata: { lot, n: 4 } })).toEqual([]);
    expect(await client().count({ metadata: { lot } })).toBe(3);
    expect(await client().count({ metadata: { lot }, status: 'idle' })).toBe(2);
    expect(await client().count({ metadata: { lot }, values: { echo: 'hi' } })).toBe(1);
  });

  test('search sorts, paginates and selects', async () => {
    const lot = randomUUID();
    const made = [];
    for (const n of [1, 2, 3]) made.push(await client().create({ metadata: { lot, n } }));
    await client().update(made[0]!.thread_id, { metadata: { touched: true } });
    const order = async (query: object) =>
      (await client().search({ metadata: { lot }, ...query })).map(({ metadata }) => metadata?.['n']);
    expect(await order({})).toEqual([1, 3, 2]);
    expect(await order({ sortBy: 'created_at' })).toEqual([3, 2, 1]);
    expect(await order({ sortBy: 'created_at', sortOrder: 'asc' })).toEqual([1, 2, 3]);
    expect(await order({ sortBy: 'thread_id', sortOrder: 'asc', limit: 2, offset: 1 })).toEqual([2, 3]);
    const select = ['thread_id', 'status'] as const;
    const selected = await client().search({ metadata: { lot }, limit: 1, select: [...select] });
    expect(selected).toEqual([{ thread_id: made[0]!.thread_id, status: 'idle' }]);
    await expect(client().search({ sortBy: 'colour' as 'status' })).rejects.toMatchObject({ status: 422 });
    await expect(client().search({ select: ['colour' as 'status'] })).rejects.toMatchObject({ status: 422 });
  });
});

describe('langgraph-sdk 1.15.0 threads only', () => {
  const client = () => client1Of(api);

  test('get with include returns the TTL', async () => {
    const { thread_id } = await client().threads.create({ ttl: 5 });
    expect(await client().threads.get(thread_id, { include: ['ttl'] })).toMatchObject({
      ttl: { strategy: 'delete', ttl_minutes: 5 },
    });
  });

  test('update with returnMinimal returns nothing', async () => {
    const { thread_id } = await client().threads.create();
    expect(
      await client().threads.update(thread_id, { metadata: { a: 1 }, returnMinimal: true }),
    ).toBeUndefined();
    expect(await client().threads.get(thread_id)).toMatchObject({ metadata: { a: 1 } });
  });

  test('search extracts parts of the state', async () => {
    const { thread_id } = await client().threads.create({ metadata: { owner: 'ada' } });
    await client().runs.wait(thread_id, 'steps', { input: { steps: 3 } });
    const extract = { last: 'values.done[-1]', owner: 'metadata.owner', none: 'values.nothing' };
    expect(await client().threads.search({ ids: [thread_id], select: ['thread_id'], extract })).toEqual([
      { thread_id, extracted: { last: 3, owner: 'ada', none: null } },
    ]);
  });

  test('prune deletes threads, or all but their latest checkpoints', async () => {
    const [kept, gone] = await Promise.all([client().threads.create(), client().threads.create()]);
    await client().runs.wait(kept.thread_id, 'steps', { input: { steps: 3 } });
    expect(await client().threads.prune([kept.thread_id], { strategy: 'keep_latest' })).toEqual({
      pruned_count: 1,
    });
    expect(await client().threads.getHistory(kept.thread_id)).toHaveLength(1);
    expect(await client().threads.getState(kept.thread_id)).toMatchObject({ values: { done: [1, 2, 3] } });
    expect(await client().threads.prune([gone.thread_id, randomUUID()])).toEqual({ pruned_count: 1 });
    await expect(client().threads.get(gone.thread_id)).rejects.toMatchObject({ status: 404 });
  });
});
