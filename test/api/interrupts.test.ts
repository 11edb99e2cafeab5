import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

test('a node that interrupts again after it was resumed leaves its run and its thread interrupted', async () => {
  const { json: thread } = await api.post('/threads', {});
  const wait = (body: object) =>
    api.post(`/threads/${thread.thread_id}/runs/wait`, { assistant_id: 'interview', ...body });
  const first = await wait({ input: {} });
  expect(first.json.__interrupt__).toMatchObject([{ value: 'Your name?' }]);
  const second = await wait({ command: { resume: 'Ada' } });
  expect(second.json.__interrupt__).toMatchObject([{ value: 'Your age, Ada?' }]);
  const { json: runs } = await api.get(`/threads/${thread.thread_id}/runs`);
  expect(runs.map(({ status }: { status: string }) => status)).toEqual(['interrupted', 'interrupted']);
  expect((await api.get(`/threads/${thread.thread_id}`)).json.status).toBe('interrupted');
  expect((await wait({ command: { resume: 36 } })).json).toEqual({ name: 'Ada', age: 36 });
  expect((await api.get(`/threads/${thread.thread_id}`)).json).toMatchObject({
    status: 'idle',
    interrupts: {},
  });
});

test.each([
  ['its assistant', { context: { flavour: 'mint' } }, {}],
  ['its run', { config: { configurable: { flavour: 'plain' } } }, { context: { flavour: 'mint' } }],
])(
  'the state of a graph that a factory makes is read and written as %s configures it',
  async (_of, assistant, run) => {
    const { json: made } = await api.post('/assistants', { graph_id: 'factory', ...assistant });
    const { json: thread } = await api.post('/threads', {});
    const path = `/threads/${thread.thread_id}`;
    await api.post(`${path}/runs/wait`, {
      assistant_id: made.assistant_id,
      input: {},
      interrupt_before: '*',
      ...run,
    });
    expect((await api.get(`${path}/state`)).json.next).toEqual(['mint']);
    expect((await api.post(`${path}/history`, { limit: 1 })).json[0].next).toEqual(['mint']);
    const update = await api.post(`${path}/state`, { values: { node: 'by hand' }, as_node: 'mint' });
    expect(update.status).toBe(200);
    const { json: state } = await api.get(`${path}/state`);
    expect(state).toMatchObject({ values: { node: 'by hand' }, next: [], metadata: { source: 'update' } });
    expect(state.metadata.run_id).toBeUndefined();
  },
);

test('a state whose factory fails is a 422, not a server error', async () => {
  const { json: thread } = await api.post('/threads', {});
  const path = `/threads/${thread.thread_id}`;
  await api.post(`${path}/runs/wait`, { assistant_id: 'factory', context: { flavour: '__start__' } });
  const answers = [await api.get(`${path}/state`), await api.post(`${path}/state`, { values: {} })];
  expect(answers.map(({ status }) => status)).toEqual([422, 422]);
});

test("rolling back a run restores the interrupted state of a configured factory's thread", async () => {
  const { json: made } = await api.post('/assistants', { graph_id: 'factory', context: { flavour: 'mint' } });
  const { json: thread } = await api.post('/threads', {});
  const path = `/threads/${thread.thread_id}`;
  const { assistant_id } = made;
  await api.post(`${path}/runs/wait`, { assistant_id, input: {}, interrupt_before: '*' });
  const { json: later } = await api.post(`${path}/runs`, { assistant_id, input: {}, after_seconds: 3_600 });
  expect((await api.post(`${path}/runs/${later.run_id}/cancel?wait=true&action=rollback`)).status).toBe(200);
  expect((await api.get(path)).json.status).toBe('interrupted');
});
