import { randomUUID } from 'node:crypto';
import { describe, expect, jest, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { clientOf, collect, eventually, SDKS } from './js-sdk-clients.ts';

const api = useApi();
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(SDKS)('langgraph-sdk %s runs', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);
  const newThread = async () => (await client().threads.create()).thread_id;

  test('create returns the pending run and its location immediately', async () => {
    const thread_id = await newThread();
    const onRunCreated = jest.fn();
    const run = await client().runs.create(thread_id, 'echo', {
      input: { text: 'hi' },
      metadata: { ticket: 7, run_id: 'mine' },
      config: { tags: ['a'], recursion_limit: 9, configurable: { mood: 'calm' } },
      streamMode: ['values', 'updates'],
      durability: 'sync',
      onRunCreated,
    });
    expect(run).toEqual({
      run_id: expect.stringMatching(UUID7),
      thread_id,
      assistant_id: (await client().assistants.get('echo')).assistant_id,
      metadata: { ticket: 7, assistant_id: run.assistant_id, graph_id: 'echo' },
      status: 'pending',
      kwargs: expect.objectContaining({
        input: { text: 'hi' },
        command: null,
        context: { mood: 'calm' },
        stream_mode: ['values', 'updates'],
        temporary: false,
        resumable: false,
        subgraphs: false,
        durability: 'sync',
        checkpoint_during: true,
        config: expect.objectContaining({ tags: ['a'], recursion_limit: 9 }),
      }),
      multitask_strategy: 'enqueue',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      langsmith_session_name: null,
    });
    expect((run as any).kwargs.config.configurable).toMatchObject({
      mood: 'calm',
      run_id: run.run_id,
      thread_id,
      graph_id: 'echo',
      assistant_id: run.assistant_id,
    });
    expect(onRunCreated).toHaveBeenCalledWith({ run_id: run.run_id, thread_id });
    expect(await client().runs.join(thread_id, run.run_id)).toEqual({ text: 'hi', echo: 'hi', messages: [] });
    expect(await client().runs.get(thread_id, run.run_id)).toMatchObject({
      run_id: run.run_id,
      status: 'success',
    });
    const thread = await client().threads.get(thread_id);
    expect(thread).toMatchObject({ status: 'idle', values: { echo: 'hi' }, config: {} });
    expect(thread.metadata).toEqual({ graph_id: 'echo', assistant_id: run.assistant_id });
  });

  test('configuration merges assistant, thread and request, in this order', async () => {
    const { assistant_id } = await client().assistants.create({
      graphId: 'factory',
      config: { tags: ['one'], configurable: { flavour: 'mint', size: 1 } },
      metadata: { from: 'assistant', a: 1 },
    });
    const { thread_id } = await client().threads.create({ metadata: { from: 'thread', t: 1 } });
    expect(await client().runs.wait(thread_id, assistant_id, { input: {} })).toEqual({
      flavour: 'mint',
      node: 'mint',
    });
    const run = await client().runs.create(thread_id, assistant_id, {
      input: {},
      context: { flavour: 'lime' },
      config: { tags: ['two'], metadata: { c: 1 } } as object,
      metadata: { r: 1 },
    });
    expect((run as any).kwargs).toMatchObject({
      context: { flavour: 'lime', size: 1 },
      config: { tags: ['one', 'two'], configurable: { flavour: 'lime', size: 1 } },
    });
    expect(run.metadata).toMatchObject({ from: 'thread', a: 1, t: 1, c: 1, r: 1, assistant_id });
    expect(await client().runs.join(thread_id, run.run_id)).toEqual({ flavour: 'lime', node: 'lime' });
    const both = { input: {}, context: { a: 1 }, config: { configurable: { b: 1 } } };
    await expect(client().runs.create(thread_id, assistant_id, both)).rejects.toMatchObject({ status: 422 });
  });

  test('the graph sees its context and the store', async () => {
    const context = { user_id: randomUUID(), greeting: 'Hi' };
    const remember = { input: { remember: 'tea' }, context };
    expect(await client().runs.wait(null, 'stateful', remember)).toMatchObject({ memories: ['tea'] });
    const recalled = await client().runs.wait(null, 'stateful', {
      input: {},
      config: { configurable: context },
    });
    expect(recalled).toMatchObject({ greeting: `Hi, ${context.user_id}`, memories: ['tea'] });
  });

  test('wait returns the values; a failure is thrown, or returned on request', async () => {
    const thread_id = await newThread();
    const onRunCreated = jest.fn();
    const done = client().runs.wait(thread_id, 'steps', { input: { steps: 2 }, onRunCreated });
    expect(await done).toEqual({ steps: 2, done: [1, 2] });
    expect(onRunCreated).toHaveBeenCalledWith({ run_id: expect.stringMatching(UUID7), thread_id });
    const failing = { input: { kind: 'type-error', message: 'bad type' } };
    await expect(client().runs.wait(null, 'boom', failing)).rejects.toThrow('TypeError: bad type');
    expect(await client().runs.wait(null, 'boom', { ...failing, raiseError: false })).toEqual({
      __error__: { error: 'TypeError', message: 'bad type' },
    });
  });

  test('a failed run is an error, and so is its thread', async () => {
    const thread_id = await newThread();
    const { run_id } = await client().runs.create(thread_id, 'boom', {
      input: { kind: 'custom', message: 'secret' },
    });
    const __error__ = { error: 'DriverFailure', message: 'An internal error occurred' };
    expect(await client().runs.join(thread_id, run_id)).toEqual({ __error__ });
    expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'error' });
    expect(await client().threads.get(thread_id)).toMatchObject({ status: 'error', error: __error__ });
    const state = await client().threads.getState(thread_id);
    expect(state).toMatchObject({ next: ['fail'], tasks: [{ name: 'fail', error: expect.any(String) }] });
    await client().runs.wait(thread_id, 'echo', { input: { text: 'again' } });
    expect(await client().threads.get(thread_id)).toMatchObject({ status: 'idle', error: null });
  });

  test('list is newest first, filters by status, paginates and selects', async () => {
    const thread_id = await newThread();
    await client().runs.wait(thread_id, 'echo', { input: { text: '1' } });
    await client().runs.wait(thread_id, 'boom', { input: {}, raiseError: false });
    const { run_id } = await client().runs.create(thread_id, 'echo', { input: {}, afterSeconds: 3_600 });
    const statuses = async (options: object) =>
      (await client().runs.list(thread_id, options)).map(({ status }) => status);
    expect(await statuses({})).toEqual(['pending', 'error', 'success']);
    expect(await statuses({ limit: 1, offset: 1 })).toEqual(['error']);
    expect(await statuses({ status: 'success' })).toEqual(['success']);
    const select = ['run_id', 'status'] as const;
    expect(await client().runs.list(thread_id, { limit: 1, select: [...select] })).toEqual([
      { run_id, status: 'pending' },
    ]);
    await expect(client().runs.list(randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(client().runs.get(thread_id, randomUUID())).rejects.toMatchObject({ status: 404 });
  });

  test('a missing thread is refused, or created on request, even concurrently', async () => {
    const missing = randomUUID();
    const send = (ifNotExists?: 'create' | 'reject') =>
      client().runs.create(missing, 'echo', { input: { text: 'x' }, ...(ifNotExists && { ifNotExists }) });
    await expect(send()).rejects.toMatchObject({ status: 404 });
    await expect(send('reject')).rejects.toMatchObject({ status: 404 });
    const runs = await Promise.all(Array.from({ length: 6 }, () => send('create')));
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(6);
    await Promise.all(runs.map(({ run_id }) => client().runs.join(missing, run_id)));
    expect(await client().threads.get(missing)).toMatchObject({ status: 'idle', values: { echo: 'x' } });
  });

  test('an unknown assistant is a 404 by id and a 422 by name', async () => {
    const thread_id = await newThread();
    await expect(client().runs.create(thread_id, randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(client().runs.create(thread_id, 'no such graph')).rejects.toMatchObject({ status: 422 });
  });

  test('a delayed run waits until it is due and keeps the thread busy', async () => {
    const thread_id = await newThread();
    const later = await client().runs.create(thread_id, 'echo', { input: {}, afterSeconds: 3_600 });
    expect(await client().threads.get(thread_id)).toMatchObject({ status: 'busy' });
    await client().runs.cancel(thread_id, later.run_id, true);
    const asked = Date.now();
    const run = await client().runs.create(thread_id, 'echo', { input: { text: 'late' }, afterSeconds: 1 });
    expect(Date.parse(run.created_at) - asked).toBeGreaterThan(900);
    expect(await client().runs.join(thread_id, run.run_id)).toMatchObject({ echo: 'late' });
    expect(Date.now() - asked).toBeGreaterThanOrEqual(1_000);
  });

  test("delete removes the run's checkpoints too", async () => {
    const thread_id = await newThread();
    await client().runs.wait(thread_id, 'steps', { input: { steps: 1 } });
    const second = await client().runs.create(thread_id, 'steps', { input: { steps: 3 } });
    await client().runs.join(thread_id, second.run_id);
    await client().runs.delete(thread_id, second.run_id);
    await expect(client().runs.get(thread_id, second.run_id)).rejects.toMatchObject({ status: 404 });
    await expect(client().runs.delete(thread_id, second.run_id)).rejects.toMatchObject({ status: 404 });
    expect((await client().threads.getState(thread_id)).values).toMatchObject({ done: [1] });
    expect(await client().threads.get(thread_id)).toMatchObject({ status: 'idle', values: { done: [1] } });
  });

  test('a threadless run leaves nothing behind', async () => {
    const onRunCreated = jest.fn<(ids: { run_id: string; thread_id?: string }) => void>();
    const parts = await collect(client().runs.stream(null, 'echo', { input: { text: 'x' }, onRunCreated }));
    expect(parts.at(-1)).toMatchObject({ event: 'values', data: { echo: 'x' } });
    expect(onRunCreated.mock.calls[0]![0].thread_id).toBeUndefined();
    const gone = await client().runs.create(null, 'echo', { input: {} });
    expect((gone as any).kwargs).toMatchObject({ temporary: true });
    await eventually(() =>
      client()
        .threads.get(gone.thread_id)
        .then(
          () => false,
          ({ status }) => status === 404,
        ),
    );
    const kept = { input: { text: 'k' }, onCompletion: 'continue' as const };
    expect(await client().runs.wait(null, 'echo', kept)).toMatchObject({ echo: 'k' });
    const resume = { command: { resume: 'x' } };
    await expect(client().runs.wait(null, 'echo', resume)).rejects.toMatchObject({ status: 400 });
  });

  test('createBatch returns the runs in the requested order', async () => {
    const runs = await client().runs.createBatch([
      { assistantId: 'echo', input: { text: 'a' }, metadata: { n: 1 } },
      { assistantId: 'steps', input: { steps: 1 }, metadata: { n: 2 } },
    ]);
    expect(runs).toMatchObject([{ metadata: { n: 1 } }, { metadata: { n: 2 } }]);
    expect(runs[0]!.thread_id).not.toBe(runs[1]!.thread_id);
    expect(await client().runs.join(runs[0]!.thread_id, runs[0]!.run_id)).toMatchObject({ echo: 'a' });
    await expect(client().runs.createBatch([])).rejects.toMatchObject({ status: 422 });
  });
});
