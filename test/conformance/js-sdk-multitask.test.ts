import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { client1Of, clientOf, eventually, running, SDKS } from './js-sdk-clients.ts';

const api = useApi();
const long = { input: { ms: 600_000 } };
const delayed = { input: { ms: 0 }, afterSeconds: 3_600 };

describe.each(SDKS)('langgraph-sdk %s multitask and cancel', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);
  const newThread = async () => (await client().threads.create()).thread_id;
  const statusOf = (thread: string, run: { run_id: string }) =>
    client()
      .runs.get(thread, run.run_id)
      .then(
        ({ status }) => status,
        ({ status }) => status as number,
      );
  const started = async (thread: string, graph = 'sleepy', payload: object = long) => {
    const run = await client().runs.create(thread, graph, payload);
    await running(client(), run);
    return run;
  };

  test('enqueue, the default, runs one at a time in the order received', async () => {
    const id = await newThread();
    const runs = [];
    for (let n = 0; n < 4; n++)
      runs.push(await client().runs.create(id, 'steps', { input: { steps: 2 * (n + 1), delay_ms: 20 } }));
    const seen: string[][] = [];
    await eventually(async () => {
      const list = (await client().runs.list(id)).toReversed();
      seen.push(list.map(({ status }) => status));
      return list.every(({ status }) => status === 'success');
    });
    for (const statuses of seen) {
      expect(statuses.filter((status) => status === 'running').length).toBeLessThanOrEqual(1);
      expect([...statuses].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))).toEqual(statuses);
    }
    expect((await client().threads.getState(id)).values).toMatchObject({ done: [1, 2, 3, 4, 5, 6, 7, 8] });
    expect((await client().threads.get(id)).status).toBe('idle');
  });

  test('reject refuses a run while another is pending or running, and stores nothing', async () => {
    const id = await newThread();
    const first = await started(id);
    const reject = () => client().runs.create(id, 'echo', { input: {}, multitaskStrategy: 'reject' });
    await expect(reject()).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(
        'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
      ),
    });
    expect(await client().runs.list(id)).toHaveLength(1);
    await client().runs.cancel(id, first.run_id, true);
    await client().runs.create(id, 'sleepy', delayed);
    await expect(reject()).rejects.toMatchObject({ status: 409 });
    const free = await newThread();
    expect(
      await client().runs.wait(free, 'echo', { input: { text: 'x' }, multitaskStrategy: 'reject' }),
    ).toMatchObject({ echo: 'x' });
  });

  test('interrupt stops runs in flight and continues from their checkpoints', async () => {
    const id = await newThread();
    const first = await started(id, 'steps', { input: { steps: 10_000, delay_ms: 30 } });
    await eventually(async () => ((await client().threads.getState(id)).values as any).done?.length >= 2);
    const queued = await client().runs.create(id, 'echo', { input: {} });
    const later = await client().runs.create(id, 'echo', delayed);
    const result: any = await client().runs.wait(id, 'steps', {
      input: { steps: 1, delay_ms: 0 },
      multitaskStrategy: 'interrupt',
    });
    expect(await Promise.all([first, queued, later].map((run) => statusOf(id, run)))).toEqual(
      Array(3).fill('interrupted'),
    );
    expect(result.done.length).toBeGreaterThanOrEqual(3);
    expect(await client().threads.get(id)).toMatchObject({ status: 'idle', values: { done: result.done } });
  });

  test('rollback stops runs in flight and removes them with their checkpoints', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'steps', { input: { steps: 1 } });
    const before = await client().threads.getHistory(id);
    const first = await started(id, 'steps', { input: { steps: 10_000, delay_ms: 30 } });
    await eventually(async () => ((await client().threads.getState(id)).values as any).done.length >= 3);
    const queued = await client().runs.create(id, 'echo', { input: {} });
    const later = await client().runs.create(id, 'echo', delayed);
    const result = await client().runs.wait(id, 'steps', {
      input: { steps: 2, delay_ms: 0 },
      multitaskStrategy: 'rollback',
    });
    expect(result).toMatchObject({ done: [1, 2] });
    expect(await Promise.all([first, queued, later].map((run) => statusOf(id, run)))).toEqual([
      404, 404, 404,
    ]);
    const history = await client().threads.getHistory(id, { limit: 100 });
    expect(history.slice(-before.length)).toEqual(before);
    expect(history.filter(({ metadata }) => (metadata as any).run_id === first.run_id)).toEqual([]);
  });

  test('cancel without waiting stops the run soon', async () => {
    const id = await newThread();
    const run = await started(id);
    // Before its first checkpoint, a thread does not become `interrupted`.
    await eventually(async () => (await client().threads.getState(id)).next.length === 1);
    expect(await client().runs.cancel(id, run.run_id)).toBeUndefined();
    await eventually(async () => (await statusOf(id, run)) === 'interrupted');
    expect(await client().threads.get(id)).toMatchObject({
      status: 'interrupted',
      error: { error: 'UserInterrupt' },
    });
    expect(await client().threads.getState(id)).toMatchObject({ next: ['sleep'], values: { ms: 600_000 } });
    expect(await client().runs.wait(id, 'echo', { input: { text: 'x' } })).toMatchObject({ echo: 'x' });
    expect(await client().threads.get(id)).toMatchObject({ status: 'idle', error: null });
  });

  test('cancel with wait returns when the run has stopped', async () => {
    const id = await newThread();
    const run = await started(id);
    await client().runs.cancel(id, run.run_id, true, 'interrupt');
    expect(await statusOf(id, run)).toBe('interrupted');
    await expect(client().runs.cancel(id, run.run_id, true)).rejects.toMatchObject({ status: 404 });
  });

  test('cancel with rollback restores the thread', async () => {
    const id = await newThread();
    await client().runs.wait(id, 'steps', { input: { steps: 1 } });
    const run = await started(id, 'steps', { input: { steps: 10_000, delay_ms: 30 } });
    await eventually(async () => ((await client().threads.getState(id)).values as any).done.length >= 2);
    await client().runs.cancel(id, run.run_id, true, 'rollback');
    expect(await statusOf(id, run)).toBe(404);
    expect(await client().threads.get(id)).toMatchObject({
      status: 'idle',
      values: { done: [1] },
      error: null,
    });
    expect((await client().threads.getState(id)).values).toMatchObject({ done: [1] });
  });

  test('a pending run is cancelled immediately', async () => {
    const id = await newThread();
    const run = await client().runs.create(id, 'sleepy', delayed);
    await client().runs.cancel(id, run.run_id, true);
    expect(await statusOf(id, run)).toBe('interrupted');
    expect(await client().threads.get(id)).toMatchObject({ status: 'idle', error: null });
    const gone = await client().runs.create(id, 'sleepy', delayed);
    await client().runs.cancel(id, gone.run_id, true, 'rollback');
    expect(await statusOf(id, gone)).toBe(404);
  });

  test('a thread with more runs queued stays busy when one is cancelled', async () => {
    const id = await newThread();
    const run = await started(id);
    await client().runs.create(id, 'sleepy', delayed);
    await client().runs.cancel(id, run.run_id, true);
    expect((await client().threads.get(id)).status).toBe('busy');
  });

  test('a run in flight is stopped before it or its thread is deleted', async () => {
    const id = await newThread();
    const run = await started(id);
    await client().runs.delete(id, run.run_id);
    expect(await statusOf(id, run)).toBe(404);
    expect((await client().threads.get(id)).status).toBe('idle');
    await started(id);
    await client().threads.delete(id);
    await expect(client().threads.get(id)).rejects.toMatchObject({ status: 404 });
  });
});

const ORDER = ['success', 'running', 'pending'];

test('langgraph-sdk 1.15.0 cancelMany by ids and by state', async () => {
  const { threads, runs } = client1Of(api);
  const { thread_id: threadId } = await threads.create();
  const [one, two] = [
    await runs.create(threadId, 'sleepy', delayed),
    await runs.create(threadId, 'sleepy', delayed),
  ];
  await runs.cancelMany({ threadId, runIds: [one.run_id] });
  expect(await runs.get(threadId, one.run_id)).toMatchObject({ status: 'interrupted' });
  expect(await runs.get(threadId, two.run_id)).toMatchObject({ status: 'pending' });
  await runs.cancelMany({ status: 'pending', action: 'rollback' } as never);
  await expect(runs.get(threadId, two.run_id)).rejects.toMatchObject({ status: 404 });
  await expect(runs.cancelMany({ status: 'all' } as never)).rejects.toMatchObject({ status: 404 });
});
