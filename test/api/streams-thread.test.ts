import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openAnswer } from '../support/open-answer.ts';
import { useApi } from '../support/use-api.ts';
import { framesOf, heartbeatsIn } from './streams-frames.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.1' } });
const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
const stream = (thread: string, body: object) => api.post(`/threads/${thread}/runs/stream`, body);

/** Reads the thread's stream up to this text and three more heartbeats; it must not end earlier. */
async function watch(
  id: string,
  query: string,
  last: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await openAnswer(`${api.url}/threads/${id}/stream${query}`, { headers });
  expect(answer.status).toBe(200);
  const after = (text: string) => (text.includes(last) ? text.slice(text.indexOf(last)) : '');
  const text = await answer.until(`${last} and heartbeats`, (text) => heartbeatsIn(after(text)) >= 3);
  answer.leave();
  return text.slice(0, text.lastIndexOf('\n\n'));
}

test('a thread stream has heartbeats, resumes from an id, and never ends by itself', async () => {
  const id = await newThread();
  const frames = framesOf(
    (await stream(id, { assistant_id: 'echo', input: { text: 'x' }, stream_resumable: true })).text,
  );
  const text = await watch(id, '', 'run_done', { 'last-event-id': '-1' });
  const { run_id } = frames[0]!.data;
  const end = { event: 'metadata', data: { status: 'run_done', run_id }, id: expect.any(String) };
  expect(framesOf(text)).toEqual([...frames, end]);
  expect(framesOf(await watch(id, '', 'run_done', { 'last-event-id': frames.at(-1)!.id! }))).toEqual([end]);
  for (const query of [
    '?stream_mode=lifecycle',
    '?stream_modes=lifecycle',
    `?stream_modes=${encodeURIComponent('["lifecycle"]')}`,
  ]) {
    expect(framesOf(await watch(id, query, 'run_done', { 'last-event-id': '-' }))).toEqual([frames[0], end]);
  }
  expect(framesOf(await watch(id, '', ''))).toEqual([]);
});

test('a missing thread and invalid parameters are refused', async () => {
  expect((await api.get(`/threads/${randomUUID()}/stream`)).status).toBe(404);
  const id = await newThread();
  expect((await api.get(`/threads/${id}/stream?stream_mode=everything`)).status).toBe(422);
  expect((await api.get(`/threads/${id}/stream`, { 'last-event-id': 'never' })).status).toBe(422);
});
