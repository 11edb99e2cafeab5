import { expect, test } from '@jest/globals';
import { HumanMessage } from '@langchain/core/messages';
import { randomUUID } from 'node:crypto';
import { collect } from '../support/collect.ts';
import { checkpointOf, LOOP, threadConfig, useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();

/** A thread with some checkpoints, each the parent of the next; returns their ids, oldest first. */
async function makeHistory(threadId: string, count: number): Promise<string[]> {
  const saver = checkpoints.saver();
  const ids: string[] = [];
  for (let step = 0; step < count; step++) {
    const checkpoint = checkpointOf({ step }, step + 1);
    const metadata = { ...LOOP, step, even: step % 2 === 0, nested: { a: 1, b: [step] } };
    await saver.put(threadConfig(threadId, ids.at(-1)), checkpoint, metadata, checkpoint.channel_versions);
    ids.push(checkpoint.id);
  }
  checkpoints.takeStatements();
  return ids;
}

const listIds = async (
  ...args: Parameters<ReturnType<typeof checkpoints.saver>['list']>
): Promise<string[]> =>
  (await collect(checkpoints.saver().list(...args))).map(({ checkpoint }) => checkpoint.id);

test('reads a history newest first, in pages, only as far as needed', async () => {
  const threadId = await checkpoints.newThread();
  const newest = (await makeHistory(threadId, 35)).toReversed();
  expect(await listIds(threadConfig(threadId))).toEqual(newest);
  expect(checkpoints.takeStatements()).toBe('RRR');
  expect(await listIds(threadConfig(threadId), { limit: 10 })).toEqual(newest.slice(0, 10));
  expect(checkpoints.takeStatements()).toBe('R');
  expect(await listIds(threadConfig(threadId), { limit: 0 })).toEqual([]);
  for await (const tuple of checkpoints.saver().list(threadConfig(threadId))) {
    expect(tuple.parentConfig?.configurable?.['checkpoint_id']).toBe(newest[1]);
    break;
  }
  expect(checkpoints.takeStatements()).toBe('R');
});

test('filters a history by metadata, before, and checkpoint', async () => {
  const threadId = await checkpoints.newThread();
  const newest = (await makeHistory(threadId, 6)).toReversed();
  const config = threadConfig(threadId);
  const before = threadConfig(threadId, newest[2]);
  expect(await listIds(config, { filter: { even: true } })).toEqual([newest[1], newest[3], newest[5]]);
  expect(await listIds(config, { filter: { nested: { b: [4] } } })).toEqual([newest[1]]);
  expect(await listIds(config, { before })).toEqual(newest.slice(3));
  expect(await listIds(config, { before, limit: 1, filter: { even: true } })).toEqual([newest[3]]);
  expect(await listIds(threadConfig(threadId, newest[4]))).toEqual([newest[4]]);
  expect(await listIds(config, { before: threadConfig(threadId, 'no id') })).toEqual([]);
  expect(await listIds(threadConfig('no thread'))).toEqual([]);
  expect(await listIds(threadConfig(randomUUID()))).toEqual([]);
});

test('lists all namespaces by default', async () => {
  const threadId = await checkpoints.newThread();
  const saver = checkpoints.saver();
  const root = checkpointOf({ x: 'root' });
  await saver.put(threadConfig(threadId), root, LOOP, { x: 1 });
  const child = checkpointOf({ x: 'child' });
  await saver.put({ configurable: { thread_id: threadId, checkpoint_ns: 'child:1' } }, child, LOOP, { x: 1 });
  const all = await collect(saver.list({ configurable: { thread_id: threadId } }));
  expect(
    all.map(({ config, checkpoint }) => [config.configurable!['checkpoint_ns'], checkpoint.channel_values]),
  ).toEqual([
    ['child:1', { x: 'child' }],
    ['', { x: 'root' }],
  ]);
  expect(await listIds(threadConfig(threadId))).toEqual([root.id]);
});

test('a checkpoint is read in one statement, and a missing one is undefined', async () => {
  const threadId = await checkpoints.newThread();
  const [first, last] = await makeHistory(threadId, 2);
  const saver = checkpoints.saver();
  expect((await saver.get(threadConfig(threadId)))?.id).toBe(last);
  expect((await saver.get(threadConfig(threadId, first!.toUpperCase())))?.id).toBe(first);
  expect(checkpoints.takeStatements()).toBe('RR');
  expect(await saver.getTuple(threadConfig(threadId, randomUUID()))).toBeUndefined();
  expect(await saver.getTuple(threadConfig(threadId, 'no id'))).toBeUndefined();
  expect(await saver.getTuple(threadConfig('no thread'))).toBeUndefined();
  expect(await saver.getTuple({})).toBeUndefined();
});

test('all strings, binary values and classes survive a round trip', async () => {
  const threadId = await checkpoints.newThread();
  const values = {
    text: 'NUL \u0000, half a pair \ud800, a whole one \u{1f600}, a backslash \\u0000 and "quotes"',
    bytes: new Uint8Array([0, 1, 254, 255]),
    nothing: null,
    map: new Map([['a', new Set([1])]]),
    message: new HumanMessage({ content: 'hi \u0000', id: '1' }),
  };
  const checkpoint = checkpointOf(values);
  const saver = checkpoints.saver();
  await saver.put(threadConfig(threadId), checkpoint, LOOP, checkpoint.channel_versions);
  await saver.putWrites(threadConfig(threadId, checkpoint.id), Object.entries(values), 'task');
  const tuple = await checkpoints.saver().getTuple(threadConfig(threadId));
  expect(tuple?.checkpoint).toEqual(checkpoint);
  expect(tuple?.checkpoint.channel_values['message']).toBeInstanceOf(HumanMessage);
  expect(tuple?.pendingWrites).toEqual(Object.entries(values).map(([name, value]) => ['task', name, value]));
});

test('a value that serialises to nothing does not make the thread unreadable', async () => {
  const threadId = await checkpoints.newThread();
  const checkpoint = checkpointOf({ call: () => {}, x: 1 });
  await checkpoints.saver().put(threadConfig(threadId), checkpoint, LOOP, checkpoint.channel_versions);
  expect((await checkpoints.saver().get(threadConfig(threadId)))?.channel_values).toEqual({
    call: null,
    x: 1,
  });
});

test('metadata is merged from run, server and engine, without user and location', async () => {
  const threadId = await checkpoints.newThread();
  const saver = checkpoints.saver({ metadata: { graph_id: 'test', run_id: 'r' } });
  const config = {
    ...threadConfig(threadId),
    metadata: {
      run_id: 'x',
      topic: 'NUL \u0000, half a pair \udc00, a backslash \\u0000',
      thread_id: 'wrong',
      langgraph_node: 'a',
      langgraph_request_id: 'secret',
      langgraph_auth_user: { name: 'secret' },
      __private: 'secret',
    },
  };
  const engine = { ...LOOP, langgraph_auth_user_id: 'secret', langgraph_auth_permissions: ['secret'] };
  await saver.put(config, checkpointOf({}), engine, {});
  const expected = {
    ...LOOP,
    graph_id: 'test',
    run_id: 'r',
    topic: 'NUL \ufffd, half a pair \ufffd, a backslash \\u0000',
  };
  expect((await saver.getTuple(threadConfig(threadId)))?.metadata).toEqual(expected);
  expect(await listIds(threadConfig(threadId), { filter: { topic: expected.topic } })).toHaveLength(1);
});

test('puts with a missing or invalid thread id are refused', async () => {
  const saver = checkpoints.saver();
  await expect(saver.put({}, checkpointOf({}), LOOP, {})).rejects.toThrow('thread_id');
  await expect(saver.put(threadConfig('1'), checkpointOf({}), LOOP, {})).rejects.toThrow('a UUID; it is 1');
  await expect(saver.putWrites(threadConfig(randomUUID()), [], 'task')).rejects.toThrow('checkpoint_id');
});

test('a run that starts from an earlier checkpoint still reads the latest as such', async () => {
  const threadId = await checkpoints.newThread();
  const [first, last] = await makeHistory(threadId, 2);
  const { saver } = await checkpoints.startRun(threadId);
  expect((await saver.get(threadConfig(threadId, first)))?.id).toBe(first);
  expect((await saver.get(threadConfig(threadId)))?.id).toBe(last);
  expect((await saver.get(threadConfig(threadId)))?.id).toBe(last);
  expect(checkpoints.takeStatements()).toBe('RR');
});

test('a copy of a checkpoint under another parent keeps its values', async () => {
  const threadId = await checkpoints.newThread();
  const [first] = await makeHistory(threadId, 2);
  const { saver } = await checkpoints.startRun(threadId);
  const original = (await saver.get(threadConfig(threadId)))!;
  const copy = { ...original, id: checkpointOf({}).id };
  // Like the engine: no new versions, but all values.
  await saver.put(threadConfig(threadId, first), copy, { ...LOOP, source: 'fork' }, {});
  for (const reader of [saver, checkpoints.saver()]) {
    expect((await reader.get(threadConfig(threadId)))?.channel_values).toEqual({ step: 1 });
  }
});
