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
