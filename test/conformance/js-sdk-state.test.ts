import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { client1Of, clientOf, type SdkClient, SDKS } from './js-sdk-clients.ts';

const api = useApi();

/** A thread that has run the graph once, to the end or to an interrupt. */
async function threadOf(client: SdkClient, graph: string, input: object): Promise<string> {
  const { thread_id } = await client.threads.create();
  await client.runs.wait(thread_id, graph, { input: { ...input } });
  return thread_id;
}

describe.each(SDKS)('langgraph-sdk %s state', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);

  test('a thread that never ran has an empty state', async () => {
    const { thread_id } = await client().threads.create();
    expect(await client().threads.getState(thread_id)).toEqual({
      values: {},
      next: [],
      tasks: [],
      metadata: null,
      created_at: null,
      checkpoint: null,
      parent_checkpoint: null,
      interrupts: [],
      checkpoint_id: null,
      parent_checkpoint_id: null,
    });
    expect(await client().threads.getHistory(thread_id)).toEqual([]);
    await expect(client().threads.getState(randomUUID())).rejects.toMatchObject({ status: 404 });
  });

  test('getState returns values, next, the open interrupt and the checkpoint', async () => {
    const id = await threadOf(client(), 'approval', { topic: 'cats' });
    const state = await client().threads.getState(id);
    const interrupt = { id: expect.any(String), value: { question: 'Publish?', draft: 'About cats' } };
    expect(state).toMatchObject({
      values: { topic: 'cats', draft: 'About cats' },
      next: ['review'],
      tasks: [
        {
          id: expect.any(String),
          name: 'review',
          error: null,
          interrupts: [interrupt],
          state: null,
          result: null,
        },
      ],
      interrupts: [interrupt],
      metadata: { source: 'loop', step: 1, parents: {}, graph_id: 'approval', run_id: expect.any(String) },
      created_at: expect.stringMatching(/^\d{4}-/),
      checkpoint: { thread_id: id, checkpoint_ns: '', checkpoint_id: expect.any(String) },
      parent_checkpoint: { thread_id: id, checkpoint_ns: '' },
    });
    expect((state as any).checkpoint_id).toBe(state.checkpoint.checkpoint_id);
    expect(JSON.stringify(state.metadata)).not.toMatch(/langgraph_(auth|request)/);
  });

  test('getState at a checkpoint, by id and by full reference', async () => {
    const id = await threadOf(client(), 'steps', { steps: 3 });
    const history = await client().threads.getHistory(id);
    const past = history.find(({ values }) => (values as any).done.length === 1)!;
    expect(await client().threads.getState(id, past.checkpoint.checkpoint_id!)).toEqual(past);
    expect(await client().threads.getState(id, past.checkpoint)).toEqual(past);
    await expect(client().threads.getState(id, randomUUID())).rejects.toMatchObject({ status: 404 });
  });

  test('getState with subgraphs includes the inner state, which can also be read by namespace', async () => {
    const id = await threadOf(client(), 'parent', { topic: 'cats', ask: true });
    const flat = await client().threads.getState(id);
    expect(flat.tasks[0]).toMatchObject({ name: 'child', state: null, checkpoint: { thread_id: id } });
    const deep = await client().threads.getState(id, undefined, { subgraphs: true });
    const inner = deep.tasks[0]!.state!;
    expect(inner).toMatchObject({
      next: ['question'],
      values: { topic: 'cats', log: ['looked at cats'] },
      tasks: [{ name: 'question', interrupts: [{ value: { question: 'What about cats?' } }] }],
    });
    const ns = flat.tasks[0]!.checkpoint!.checkpoint_ns;
    expect(ns).toMatch(/^child:/);
    const byName = await client().threads.getState(id, {
      thread_id: id,
      checkpoint_ns: ns,
      checkpoint_id: null,
      checkpoint_map: null,
    });
    expect(byName).toMatchObject({
      values: inner.values,
      next: ['question'],
      checkpoint: { checkpoint_ns: ns },
    });
  });

  test('getHistory is newest first, with limit, before and metadata', async () => {
    const id = await threadOf(client(), 'steps', { steps: 3 });
    const all = await client().threads.getHistory(id);
    const steps = all.map(({ metadata }) => metadata!['step']);
    expect(steps).toEqual([3, 2, 1, 0, -1]);
    expect(all[0]!.parent_checkpoint!.checkpoint_id).toBe(all[1]!.checkpoint.checkpoint_id);
    expect(all.at(-1)!.parent_checkpoint).toBeNull();
    expect(await client().threads.getHistory(id, { limit: 2 })).toEqual(all.slice(0, 2));
    const before = { configurable: { checkpoint_id: all[1]!.checkpoint.checkpoint_id } };
    expect(await client().threads.getHistory(id, { before, limit: 2 })).toEqual(all.slice(2, 4));
    expect(await client().threads.getHistory(id, { metadata: { source: 'input' } })).toEqual([all[4]]);
    expect(await client().threads.getHistory(id, { metadata: { source: 'fork' } })).toEqual([]);
    await expect(client().threads.getHistory(id, { limit: 1001 })).rejects.toMatchObject({ status: 422 });
  });

  test('getHistory of a subgraph', async () => {
    const id = await threadOf(client(), 'parent', { topic: 'cats', ask: true });
    const [state] = await client().threads.getHistory(id, { limit: 1 });
    const { checkpoint_ns } = state!.tasks[0]!.checkpoint!;
    const inside = await client().threads.getHistory(id, { checkpoint: { checkpoint_ns } as any });
    expect(inside.map(({ next }) => next)).toEqual([['question'], ['grandchild'], ['__start__']]);
    expect(inside.every(({ checkpoint }) => checkpoint.checkpoint_ns === checkpoint_ns)).toBe(true);
  });

  test('updateState as a node advances the graph from there', async () => {
    const id = await threadOf(client(), 'approval', { topic: 'cats' });
    const before = await client().threads.get(id);
    const updated: any = await client().threads.updateState(id, {
      values: { decision: 'yes' },
      asNode: 'review',
    });
    const { checkpoint_id } = updated.configurable;
    expect(updated).toEqual({
      checkpoint: { thread_id: id, checkpoint_ns: '', checkpoint_id },
      configurable: { thread_id: id, checkpoint_ns: '', checkpoint_id },
      checkpoint_id,
    });
    expect(await client().threads.getState(id)).toMatchObject({
      values: { decision: 'yes' },
      next: ['publish'],
      metadata: { source: 'update' },
      checkpoint: { checkpoint_id },
    });
    const after = await client().threads.get(id);
    expect(after).toMatchObject({ status: 'interrupted', values: { decision: 'yes' }, interrupts: {} });
    expect(after.state_updated_at > before.state_updated_at).toBe(true);
    expect(await client().runs.wait(id, 'approval', { input: null })).toMatchObject({ published: true });
  });

  test('updateState as __end__ clears what is pending', async () => {
    const id = await threadOf(client(), 'approval', { topic: 'cats' });
    await client().threads.updateState(id, { values: null, asNode: '__end__' });
    expect(await client().threads.getState(id)).toMatchObject({
      next: [],
      tasks: [],
      values: { draft: 'About cats' },
    });
    expect(await client().threads.get(id)).toMatchObject({ status: 'idle', interrupts: {} });
  });

  test('updateState at an older checkpoint forks', async () => {
    const id = await threadOf(client(), 'steps', { steps: 2 });
    const history = await client().threads.getHistory(id);
    const past = history.find(({ metadata }) => metadata!['step'] === 1)!;
    await client().threads.updateState(id, {
      values: { steps: 5 },
      asNode: 'step',
      checkpoint: past.checkpoint,
    });
    const fork = await client().threads.getState(id);
    expect(fork).toMatchObject({ values: { steps: 5, done: [1] }, next: ['step'] });
    expect(fork.parent_checkpoint!.checkpoint_id).toBe(past.checkpoint.checkpoint_id);
    expect(await client().runs.wait(id, 'steps', { input: null })).toMatchObject({ done: [1, 2, 3, 4, 5] });
  });

  test('updateState is refused without a graph, with an unknown node, and while a run is in flight', async () => {
    const { thread_id } = await client().threads.create();
    const write = (id: string, asNode?: string) =>
      client().threads.updateState(id, { values: { topic: 'x' }, ...(asNode && { asNode }) });
    await expect(write(thread_id)).rejects.toMatchObject({ status: 400 });
    await expect(write(randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(write(await threadOf(client(), 'approval', {}), 'nobody')).rejects.toMatchObject({
      status: 400,
    });
    const busy = await client().threads.create();
    await client().runs.create(busy.thread_id, 'sleepy', { input: { ms: 0 }, afterSeconds: 3_600 });
    await expect(write(busy.thread_id)).rejects.toMatchObject({ status: 409 });
  });

  test('patchState is refused as a method', async () => {
    const id = await threadOf(client(), 'echo', { text: 'x' });
    await expect(client().threads.patchState(id, { a: 1 })).rejects.toMatchObject({ status: 405 });
  });
});

test('langgraph-sdk 1.15.0 getState and getHistory with select', async () => {
  const { threads, runs } = client1Of(api);
  const { thread_id } = await threads.create();
  await runs.wait(thread_id, 'echo', { input: { text: 'hi' } });
  expect(await threads.getState(thread_id, undefined, { select: ['values.echo', 'next'] })).toEqual({
    values: { echo: 'hi' },
    next: [],
  });
  const [latest] = await threads.getHistory(thread_id, { limit: 1, select: ['values.echo'] });
  expect(latest).toEqual({ values: { echo: 'hi' } });
});
