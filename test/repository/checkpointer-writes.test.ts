import { expect, test } from '@jest/globals';
import { Annotation, Command, DeltaChannel, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { setTimeout } from 'node:timers/promises';
import { checkpointStorage } from '../../src/agent-server/checkpoints/checkpoint-maintenance.ts';
import { until } from '../support/until.ts';
import { checkpointOf, LOOP, threadConfig, useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();
const { countOf } = checkpoints;

const State = Annotation.Root({
  count: Annotation<number>(),
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const one = new StateGraph(State)
  .addNode('a', () => ({ count: 1 }))
  .addEdge(START, 'a')
  .addEdge('a', END);

test.each([
  ['async', 'RW'],
  ['sync', 'RWW'],
  ['exit', 'RW'],
] as const)(
  'a run of one node, and the look at its end, with durability %s: %s',
  async (durability, expected) => {
    const threadId = await checkpoints.newThread();
    const { saver } = await checkpoints.startRun(threadId);
    const graph = one.compile({ checkpointer: saver });
    await graph.invoke({ count: 0 }, { ...threadConfig(threadId), durability });
    expect((await graph.getState(threadConfig(threadId))).values).toMatchObject({ count: 1 });
    expect(checkpoints.takeStatements()).toBe(expected);
    expect(await countOf('checkpoint', threadId)).toBe(durability === 'exit' ? 1 : 3);
  },
);

test('a run of a thread known to be empty reads nothing', async () => {
  const threadId = await checkpoints.newThread();
  const start = { thread_id: threadId, checkpoint: undefined };
  const { saver } = await checkpoints.startRun(threadId, { start });
  const graph = one.compile({ checkpointer: saver });
  await graph.invoke({ count: 0 }, threadConfig(threadId));
  expect((await graph.getState(threadConfig(threadId))).values).toMatchObject({ count: 1 });
  expect(checkpoints.takeStatements()).toBe('W');
});

test('channels that change together share a version, and no two branches do', async () => {
  const [saver, other] = [checkpoints.saver(), checkpoints.saver()];
  const first = saver.getNextVersion(undefined);
  const second = [saver.getNextVersion(first), saver.getNextVersion(first)];
  expect(second[0]).toBe(second[1]);
  expect(second[0]).toBeGreaterThan(first);
  expect(Number.isSafeInteger(second[0])).toBe(true);
  expect(other.getNextVersion(first)).not.toBe(second[0]);
  await setTimeout(0);
  expect(saver.getNextVersion(first)).not.toBe(second[0]);
});

test('a slow superstep is one statement', async () => {
  const threadId = await checkpoints.newThread();
  const { saver } = await checkpoints.startRun(threadId);
  /** Waits until earlier puts are stored. */
  const slow = (name: string, stored: number) => async () => {
    await until(`${stored} are stored`, async () => (await countOf('checkpoint', threadId)) === stored);
    return { log: [name] };
  };
  const graph = new StateGraph(State)
    .addNode('a', slow('a', 2))
    .addNode('b', slow('b', 3))
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', END);
  await graph.compile({ checkpointer: saver }).invoke({ count: 0 }, threadConfig(threadId));
  expect(checkpoints.takeStatements()).toBe('RWWW');
});

test("does not search for a subgraph's checkpoint on top of one of the same run", async () => {
  const threadId = await checkpoints.newThread();
  const child = new StateGraph(State)
    .addNode('inner', () => ({ log: [interrupt('well?') as string] }))
    .addEdge(START, 'inner')
    .addEdge('inner', END);
  const parent = new StateGraph(State)
    .addNode('child', child.compile())
    .addEdge(START, 'child')
    .addEdge('child', END);
  const first = await checkpoints.startRun(threadId);
  await parent.compile({ checkpointer: first.saver }).invoke({ count: 0 }, threadConfig(threadId));
  expect(checkpoints.takeStatements()).toMatch(/^RW+$/);
  // The subgraph's state is read when the run resumes in it.
  const second = await checkpoints.startRun(threadId);
  const graph = parent.compile({ checkpointer: second.saver });
  expect(await graph.invoke(new Command({ resume: 'yes' }), threadConfig(threadId))).toMatchObject({
    log: ['yes'],
  });
  expect(checkpoints.takeStatements().replaceAll('W', '')).toBe('RR');
});

test('delta channels are read once, and not at all on a new thread', async () => {
  const threadId = await checkpoints.newThread();
  const Delta = Annotation.Root({
    log: () => new DeltaChannel<string[], string[]>((all, writes) => [...all, ...writes.flat()]),
  });
  const graph = new StateGraph(Delta)
    .addNode('a', () => ({ log: ['a'] }))
    .addEdge(START, 'a')
    .addEdge('a', END);
  for (const [turn, reads] of ['R', 'RR', 'RR'].entries()) {
    const compiled = graph.compile({ checkpointer: (await checkpoints.startRun(threadId)).saver });
    await compiled.invoke({ log: ['hi'] }, threadConfig(threadId));
    const { values } = await compiled.getState(threadConfig(threadId));
    expect(values).toEqual({ log: Array.from({ length: turn + 1 }, () => ['hi', 'a']).flat() });
    expect(checkpoints.takeStatements().replaceAll('W', '')).toBe(reads);
  }
});

test('puts during a statement go into the next, in order', async () => {
  const threadId = await checkpoints.newThread();
  const { saver } = await checkpoints.startRun(threadId);
  const first = checkpointOf({ x: 1 });
  const started = saver.put(threadConfig(threadId), first, LOOP, { x: 1 });
  await setTimeout(0);
  const rest = [
    saver.putWrites(threadConfig(threadId, first.id), [['__resume__', 'old']], 'task'),
    saver.putWrites(threadConfig(threadId, first.id), [['__resume__', 'new']], 'task'),
    saver.putWrites(threadConfig(threadId, first.id), [['x', 'kept']], 'other'),
    saver.putWrites(threadConfig(threadId, first.id), [['x', 'late']], 'other'),
  ];
  await Promise.all([started, ...rest]);
  expect(checkpoints.takeStatements()).toBe('WW');
  const expected = [
    ['other', 'x', 'kept'],
    ['task', '__resume__', 'new'],
  ];
  expect((await saver.getTuple(threadConfig(threadId)))?.pendingWrites).toEqual(expected);
  expect((await checkpoints.saver().getTuple(threadConfig(threadId)))?.pendingWrites).toEqual(expected);
});

test('later changes to a value are not stored', async () => {
  const threadId = await checkpoints.newThread();
  const { saver } = await checkpoints.startRun(threadId);
  const list = ['as it was'];
  const put = saver.put(threadConfig(threadId), checkpointOf({ list }), LOOP, { list: 1 });
  list.push('changed');
  await put;
  expect((await checkpoints.saver().get(threadConfig(threadId)))?.channel_values).toEqual({
    list: ['as it was'],
  });
});

test('a large batch is split into several statements', async () => {
  const threadId = await checkpoints.newThread();
  const { saver } = await checkpoints.startRun(threadId);
  const { id } = checkpointOf({});
  const writes = Array.from({ length: 900 }, (_, index): [string, unknown] => ['x', index]);
  const tasks = ['a', 'b', 'c', 'd'];
  await Promise.all(tasks.map((task) => saver.putWrites(threadConfig(threadId, id), writes, task)));
  expect(await countOf('checkpoint_write', threadId)).toBe(3_600);
  expect(checkpoints.takeStatements()).toBe('WW');
});

test("a run does not change an earlier run's checkpoint", async () => {
  const threadId = await checkpoints.newThread();
  const first = await checkpoints.startRun(threadId);
  const checkpoint = checkpointOf({ x: 1 });
  await first.saver.put(threadConfig(threadId), checkpoint, { ...LOOP, step: 1 }, { x: 1 });
  const second = await checkpoints.startRun(threadId);
  await second.saver.getTuple(threadConfig(threadId));
  const again = threadConfig(threadId, checkpoint.id);
  await second.saver.put(again, checkpoint, { ...LOOP, step: 2 }, {});
  for (const saver of [second.saver, checkpoints.saver()]) {
    const tuple = await saver.getTuple(threadConfig(threadId));
    expect(tuple).toMatchObject({ metadata: { step: 1 }, checkpoint: { channel_values: { x: 1 } } });
    expect(tuple?.parentConfig).toBeUndefined();
  }
});

test('the 200th run of a thread stores and reads as much as the first', async () => {
  const threadId = await checkpoints.newThread();
  const stored: number[] = [];
  for (let turn = 1; turn <= 200; turn++) {
    const { saver } = await checkpoints.startRun(threadId);
    await one.compile({ checkpointer: saver }).invoke({ count: turn }, threadConfig(threadId));
    const { value_bytes, checkpoint_bytes, write_bytes } = await checkpointStorage(checkpoints.db, threadId);
    stored.push(value_bytes + checkpoint_bytes + write_bytes);
  }
  expect(checkpoints.takeStatements()).toBe('RW'.repeat(200));
  expect(stored[199]! - stored[198]!).toBeLessThan(1.2 * (stored[1]! - stored[0]!));
});
