import { expect, test } from '@jest/globals';
import { Annotation, type BaseCheckpointSaver, END, START, StateGraph } from '@langchain/langgraph';
import { setTimeout } from 'node:timers/promises';
import { settleRun } from '../../src/agent-server/runs/run-settlement.ts';
import { RunFenced } from '../../src/agent-server/errors.ts';
import { checkpointOf, LOOP, threadConfig, useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();
const { countOf } = checkpoints;

const State = Annotation.Root({ count: Annotation<number>() });
const one = new StateGraph(State)
  .addNode('a', () => ({ count: 1 }))
  .addEdge(START, 'a')
  .addEdge('a', END);

test('once the run is taken over nothing is stored, and every put fails', async () => {
  const threadId = await checkpoints.newThread();
  const failures: unknown[] = [];
  const { saver, takeOver } = await checkpoints.startRun(threadId, {
    onFailure: (error) => failures.push(error),
  });
  await saver.put(threadConfig(threadId), checkpointOf({ x: 1 }), LOOP, { x: 1 });
  await takeOver();
  const late = checkpointOf({ x: 2 }, 2);
  const puts = [
    saver.put(threadConfig(threadId), late, LOOP, { x: 2 }),
    saver.putWrites(threadConfig(threadId, late.id), [['x', 3]], 'task'),
  ];
  const settled = await Promise.allSettled(puts);
  expect(settled[1]).toMatchObject({ status: 'rejected', reason: expect.any(RunFenced) });
  await expect(saver.put(threadConfig(threadId), late, LOOP, {})).rejects.toThrow(RunFenced);
  await expect(saver.getTuple(threadConfig(threadId))).rejects.toThrow(RunFenced);
  await expect(saver.deleteThread(threadId)).rejects.toThrow(RunFenced);
  expect(failures).toEqual([expect.any(RunFenced)]);
  expect([await countOf('checkpoint', threadId), await countOf('checkpoint_write', threadId)]).toEqual([
    1, 0,
  ]);
});

test.each([
  ['of the attempt that holds the run are stored with the outcome', 1, true],
  ['of an older attempt are not', 0, false],
])('the last checkpoints %s', async (_, epoch, stored) => {
  const thread_id = await checkpoints.newThread();
  const { saver, run_id } = await checkpoints.startRun(thread_id, { deferred: true });
  await one.compile({ checkpointer: saver }).invoke({ count: 0 }, threadConfig(thread_id));
  const units = await saver.take();
  expect(await countOf('checkpoint', thread_id)).toBe(0);
  const outcome = { run_id, thread_id, epoch, units, status: 'success', output: '{}' } as const;
  const settled = await settleRun(checkpoints.db, {
    ...outcome,
    events: [],
    resumable: false,
    webhook: false,
  });
  expect(settled).toBe(stored && 'settled');
  expect(await countOf('checkpoint', thread_id)).toBe(stored ? 3 : 0);
});

test('a run that is no longer running stores nothing', async () => {
  const threadId = await checkpoints.newThread();
  const { saver, run_id } = await checkpoints.startRun(threadId);
  await checkpoints.db.query(`update run set status = 'interrupted' where run_id = $1`, [run_id]);
  await expect(saver.put(threadConfig(threadId), checkpointOf({}), LOOP, {})).rejects.toThrow(RunFenced);
});

test('a graph whose run is taken over fails with RunFenced', async () => {
  const threadId = await checkpoints.newThread();
  const { saver, takeOver } = await checkpoints.startRun(threadId);
  const graph = new StateGraph(State)
    .addNode('a', async () => {
      await setTimeout(30);
      await takeOver();
      return { count: 1 };
    })
    .addEdge(START, 'a')
    .addEdge('a', END)
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ count: 0 }, threadConfig(threadId))).rejects.toThrow(RunFenced);
  const stored = await one.compile({ checkpointer: checkpoints.saver() }).getState(threadConfig(threadId));
  expect(stored.next).toEqual(['a']);
});

test('a write that fails while a node is busy stops only its run', async () => {
  const threadId = await checkpoints.newThread();
  const stop = new AbortController();
  const { saver, takeOver } = await checkpoints.startRun(threadId, {
    onFailure: (error) => stop.abort(error),
  });
  const graph = new StateGraph(State)
    .addNode('quick', async () => {
      await setTimeout(20);
      await takeOver();
      return { count: 1 };
    })
    // It would never end by itself; the run ends because it is stopped.
    .addNode('busy', () => new Promise<{ count: number }>(() => {}))
    .addEdge(START, 'quick')
    .addEdge('quick', 'busy')
    .addEdge('busy', END)
    .compile({ checkpointer: saver });
  await expect(
    graph.invoke({ count: 0 }, { ...threadConfig(threadId), signal: stop.signal }),
  ).rejects.toThrow();
  expect(stop.signal.reason).toBeInstanceOf(RunFenced);
});

test('a value that cannot be serialised fails the run, or without a run only its put', async () => {
  const threadId = await checkpoints.newThread();
  const config = threadConfig(threadId);
  const breakOn = (saver: BaseCheckpointSaver) => {
    const { serde } = saver;
    const dumpsTyped = serde.dumpsTyped.bind(serde);
    serde.dumpsTyped = async (value) =>
      value === 'broken' ? Promise.reject(new Error('not this')) : dumpsTyped(value);
    return saver;
  };
  const putBoth = (saver: BaseCheckpointSaver) =>
    Promise.allSettled([
      saver.putWrites(threadConfig(threadId, checkpointOf({}).id), [['x', 'broken']], 'task'),
      saver.put(config, checkpointOf({}), LOOP, {}),
    ]);
  const { saver } = await checkpoints.startRun(threadId);
  expect((await putBoth(breakOn(saver))).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(saver.put(config, checkpointOf({}), LOOP, {})).rejects.toThrow('not this');
  expect((await putBoth(breakOn(checkpoints.saver()))).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
  ]);
});
