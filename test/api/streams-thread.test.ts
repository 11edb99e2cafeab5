import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { framesOf, heartbeatsIn } from './streams-frames.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.1' } });
const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
const stream = (thread: string, body: object) => api.post(`/threads/${thread}/runs/stream`, body);

/** What the thread's stream sends within a second and a half. */
async function watch(id: string, query: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${api.url}/threads/${id}/stream${query}`, {
    headers,
    signal: AbortSignal.timeout(1_500),
  });
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

test('a thread is streamed with heartbeats, from an id on, and never ends by itself', async () => {
  const id = await newThread();
  const frames = framesOf(
    (await stream(id, { assistant_id: 'echo', input: { text: 'x' }, stream_resumable: true })).text,
  );
  const text = await watch(id, '', { 'last-event-id': '-1' });
  expect(heartbeatsIn(text)).toBeGreaterThanOrEqual(3);
  const { run_id } = frames[0]!.data;
  const end = { event: 'metadata', data: { status: 'run_done', run_id }, id: expect.any(String) };
  expect(framesOf(text)).toEqual([...frames, end]);
  expect(framesOf(await watch(id, '', { 'last-event-id': frames.at(-1)!.id! }))).toEqual([end]);
  for (const query of [
    '?stream_mode=lifecycle',
    '?stream_modes=lifecycle',
    `?stream_modes=${encodeURIComponent('["lifecycle"]')}`,
  ]) {
    expect(framesOf(await watch(id, query, { 'last-event-id': '-' }))).toEqual([frames[0], end]);
  }
  expect(framesOf(await watch(id, ''))).toEqual([]);
});

test('a thread that is missing, or asked for wrongly, is refused', async () => {
  expect((await api.get(`/threads/${randomUUID()}/stream`)).status).toBe(404);
  const id = await newThread();
  expect((await api.get(`/threads/${id}/stream?stream_mode=everything`)).status).toBe(422);
  expect((await api.get(`/threads/${id}/stream`, { 'last-event-id': 'never' })).status).toBe(422);
});
