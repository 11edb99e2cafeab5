import { expect, test } from '@jest/globals';
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  END,
  interrupt,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { randomUUID } from 'node:crypto';
import {
  checkpointStorage,
  copyCheckpoints,
  deleteRunCheckpoints,
  deleteThreadCheckpoints,
  keepLatestCheckpoints,
} from '../../src/agent-server/checkpoints/checkpoint-maintenance.ts';
import { collect } from '../support/collect.ts';
import { threadConfig, useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();

const list = () => Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] });
const State = Annotation.Root({ log: list(), count: Annotation<number>() });
const deltaLog = () =>
  new DeltaChannel<string[], string[]>((all, writes) => [...all, ...writes.flat()], { snapshotFrequency: 7 });
const DeltaState = Annotation.Root({ log: deltaLog, count: Annotation<number>() });

const plain = new StateGraph(State)
  .addNode('a', () => ({ log: ['a'] }))
  .addNode('b', () => ({ log: ['b'] }))
  .addEdge(START, 'a')
  .addEdge('a', 'b')
  .addEdge('b', END);
const delta = new StateGraph(DeltaState)
  .addNode('a', () => ({ log: ['a'] }))
  .addNode('b', () => ({ log: ['b'] }))
  .addEdge(START, 'a')
  .addEdge('a', 'b')
  .addEdge('b', END);
const asking = new StateGraph(State)
  .addNode('ask', () => ({
    log: [interrupt('1?') as string, interrupt('2?') as string, interrupt('3?') as string],
  }))
  .addEdge(START, 'ask')
  .addEdge('ask', END);
const nested = new StateGraph(State)
  .addNode('child', asking.compile())
  .addNode('after', () => ({ log: ['after'] }))
  .addEdge(START, 'child')
  .addEdge('child', 'after')
  .addEdge('after', END);

type Builder = { compile(options: { checkpointer: BaseCheckpointSaver }): unknown };
interface Graph {
  invoke(input: unknown, config: object): Promise<unknown>;
  getState(config: object, options?: object): Promise<object>;
  updateState(config: object, values: object): Promise<unknown>;
}

/** Runs the graph on the thread; returns the run's id. */
async function run(
  builder: Builder,
  threadId: string,
  input: unknown,
  checkpointId?: string,
): Promise<string> {
  const { saver, run_id } = await checkpoints.startRun(threadId);
  await (builder.compile({ checkpointer: saver }) as Graph).invoke(
    input,
    threadConfig(threadId, checkpointId),
  );
  return run_id;
}

const stateOf = (builder: Builder, threadId: string, checkpointId?: string) =>
  (builder.compile({ checkpointer: checkpoints.saver() }) as Graph).getState(
    threadConfig(threadId, checkpointId),
    {
      subgraphs: true,
    },
  );

/** Every row of the thread. */
async function rowsOf(threadId: string): Promise<Record<string, unknown[]>> {
  const all: Record<string, unknown[]> = {};
  for (const table of ['checkpoint', 'checkpoint_value', 'checkpoint_write']) {
    const { rows } = await checkpoints.db.query<{ row: object }>(
      `select to_jsonb(it) - 'seq' - 'thread_id' as row from ${table} it where thread_id = $1 order by to_jsonb(it) - 'seq'`,
      [threadId],
    );
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

const historyIds = async (threadId: string): Promise<string[]> =>
  (await collect(checkpoints.saver().list(threadConfig(threadId)))).map(({ checkpoint }) => checkpoint.id);

test.each([
  ['plain', plain, { log: ['x'] }],
  ['delta', delta, { log: ['x'] }],
  ['nested', nested, { log: ['x'] }],
] as const)('deleting the last run leaves everything as it was before (%s)', async (_, builder, input) => {
  const threadId = await checkpoints.newThread();
  await run(builder, threadId, input);
  await run(builder, threadId, input);
  const before = await rowsOf(threadId);
  const last = await run(builder, threadId, input);
  const counts = await deleteRunCheckpoints(checkpoints.db, threadId, last);
  expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  expect(await rowsOf(threadId)).toEqual(before);
  expect(await deleteRunCheckpoints(checkpoints.db, threadId, last)).toEqual({
    checkpoints: 0,
    values: 0,
    writes: 0,
  });
});

test('deleting a run that resumed restores the interrupt and earlier answers', async () => {
  const threadId = await checkpoints.newThread();
  await run(asking, threadId, { log: [] });
  await run(asking, threadId, new Command({ resume: 'one' }));
  const before = await rowsOf(threadId);
  const last = await run(asking, threadId, new Command({ resume: 'two' }));
  await deleteRunCheckpoints(checkpoints.db, threadId, last);
  expect(await rowsOf(threadId)).toEqual(before);
  expect(await stateOf(asking, threadId)).toMatchObject({
    tasks: [{ interrupts: [{ value: '2?' }] }],
  });
  await run(asking, threadId, new Command({ resume: 'two again' }));
  await run(asking, threadId, new Command({ resume: 'three' }));
  expect(await stateOf(asking, threadId)).toMatchObject({ values: { log: ['one', 'two again', 'three'] } });
});

test('deleting a run keeps the values that other branches share', async () => {
  const threadId = await checkpoints.newThread();
  const first = await run(plain, threadId, { log: ['x'], count: 1 });
  const tip = (await historyIds(threadId))[0]!;
  await run(plain, threadId, { log: ['main'] });
  const main = await stateOf(plain, threadId);
  const fork = await run(plain, threadId, { log: ['fork'] }, tip);
  const forked = await stateOf(plain, threadId);
  await deleteRunCheckpoints(checkpoints.db, threadId, first);
  expect(await stateOf(plain, threadId)).toMatchObject({ values: (forked as { values: object }).values });
  await deleteRunCheckpoints(checkpoints.db, threadId, fork);
  expect(await stateOf(plain, threadId)).toEqual(main);
});

test('deleting an early run keeps what later delta channels are rebuilt from', async () => {
  const threadId = await checkpoints.newThread();
  const runs: string[] = [];
  for (const turn of ['1', '2', '3', '4']) runs.push(await run(delta, threadId, { log: [turn], count: 1 }));
  const { values } = (await stateOf(delta, threadId)) as { values: { log: string[] } };
  expect(values.log).toHaveLength(12);
  for (const id of runs.slice(0, 3)) await deleteRunCheckpoints(checkpoints.db, threadId, id);
  expect(await stateOf(delta, threadId)).toMatchObject({ values });
  expect((await historyIds(threadId)).length).toBeLessThan(16);
});

test('a state update stays when the run before it is deleted', async () => {
  const threadId = await checkpoints.newThread();
  const id = await run(plain, threadId, { log: ['x'] });
  const graph = plain.compile({ checkpointer: checkpoints.saver() });
  await graph.updateState(threadConfig(threadId), { log: ['by hand'] });
  const before = await stateOf(plain, threadId);
  await deleteRunCheckpoints(checkpoints.db, threadId, id);
  expect(await stateOf(plain, threadId)).toEqual(before);
});

test.each([
  ['plain', plain],
  ['delta', delta],
  ['nested', nested],
] as const)('keeping the latest keeps the state (%s)', async (_, builder) => {
  const threads = [await checkpoints.newThread(), await checkpoints.newThread()];
  for (const threadId of threads)
    for (const turn of ['1', '2', '3']) await run(builder, threadId, { log: [turn] });
  const states = await Promise.all(threads.map((threadId) => stateOf(builder, threadId)));
  const { checkpoints: gone } = await keepLatestCheckpoints(checkpoints.db, threads);
  expect(gone).toBeGreaterThan(0);
  expect(await Promise.all(threads.map((threadId) => stateOf(builder, threadId)))).toEqual(states);
  if (builder === plain) {
    const { checkpoint, checkpoint_value } = await rowsOf(threads[0]!);
    expect(checkpoint).toHaveLength(1);
    expect((checkpoint_value as { channel: string }[]).map(({ channel }) => channel)).toEqual(['log']);
  }
  expect(await keepLatestCheckpoints(checkpoints.db, threads)).toEqual({
    checkpoints: 0,
    values: 0,
    writes: 0,
  });
});

test('an interrupted subgraph continues after its thread was pruned', async () => {
  const threadId = await checkpoints.newThread();
  await run(nested, threadId, { log: ['x'] });
  await run(nested, threadId, new Command({ resume: '1' }));
  await keepLatestCheckpoints(checkpoints.db, [threadId]);
  await run(nested, threadId, new Command({ resume: '2' }));
  await run(nested, threadId, new Command({ resume: '3' }));
  expect(await stateOf(nested, threadId)).toMatchObject({
    values: { log: ['x', 'x', '1', '2', '3', 'after'] },
  });
  await keepLatestCheckpoints(checkpoints.db, [threadId]);
  const { checkpoint } = await rowsOf(threadId);
  expect(checkpoint).toMatchObject([{ checkpoint_ns: '' }]);
});

test('delta channels written only by state updates survive pruning', async () => {
  const threadId = await checkpoints.newThread();
  for (const turn of ['1', '2', '3']) {
    const graph = delta.compile({ checkpointer: checkpoints.saver() });
    await graph.updateState(
      { configurable: { thread_id: threadId, checkpoint_ns: '' } },
      { log: [turn] },
      'a',
    );
  }
  const state = await stateOf(delta, threadId);
  await keepLatestCheckpoints(checkpoints.db, [threadId]);
  expect(await stateOf(delta, threadId)).toEqual(state);
});

test.each([
  ['plain', plain],
  ['delta', delta],
  ['nested', nested],
] as const)('a copy has the whole history and a life of its own (%s)', async (_, builder) => {
  const [from, to] = [await checkpoints.newThread(), await checkpoints.newThread()];
  await run(builder, from, { log: ['1'] });
  await run(builder, from, { log: ['2'] });
  const counts = await copyCheckpoints(checkpoints.db, from, to);
  const rows = await rowsOf(from);
  expect(await rowsOf(to)).toEqual(rows);
  expect(counts).toEqual({
    checkpoints: rows['checkpoint']!.length,
    values: rows['checkpoint_value']!.length,
    writes: rows['checkpoint_write']!.length,
  });
  await run(builder, to, { log: ['3'] });
  expect(await rowsOf(from)).toEqual(rows);
  await deleteThreadCheckpoints(checkpoints.db, [from]);
  const ids = await historyIds(to);
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(await stateOf(builder, to, id)).toBeDefined();
});

test('reports storage in rows and bytes; deleted threads have none', async () => {
  const threads = [await checkpoints.newThread(), await checkpoints.newThread()];
  for (const threadId of threads) await run(plain, threadId, { log: ['x'.repeat(1_000)] });
  const storage = await checkpointStorage(checkpoints.db, threads[0]!);
  const rows = await rowsOf(threads[0]!);
  expect(storage).toMatchObject({
    checkpoints: rows['checkpoint']!.length,
    values: rows['checkpoint_value']!.length,
    writes: rows['checkpoint_write']!.length,
  });
  expect(storage.checkpoint_bytes).toBeGreaterThan(500);
  expect(storage.value_bytes).toBeGreaterThan(100);
  expect(await deleteThreadCheckpoints(checkpoints.db, threads)).toMatchObject({
    checkpoints: 2 * storage.checkpoints,
  });
  const none = { checkpoints: 0, values: 0, writes: 0, checkpoint_bytes: 0, value_bytes: 0, write_bytes: 0 };
  expect(await checkpointStorage(checkpoints.db, threads[0]!)).toEqual(none);
  expect(await checkpointStorage(checkpoints.db, randomUUID())).toEqual(none);
});
