import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { makeGate } from '../support/gate.ts';
import { openAnswer, openPost } from '../support/open-answer.ts';
import { useApi } from '../support/use-api.ts';
import { framesOf, heartbeatsIn } from './streams-frames.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.1' } });
const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
const stream = (thread: string, body: object) => api.post(`/threads/${thread}/runs/stream`, body);
const location = (answer: { headers: Headers }) => answer.headers.get('location')!;
const runOf = (answer: { headers: Headers }) => answer.headers.get('content-location')!;

describe('a new run', () => {
  test("sends the content type, the run's location and the URL to resume", async () => {
    const id = await newThread();
    const answer = await stream(id, { assistant_id: 'echo', input: { text: 'x' } });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    expect(runOf(answer)).toMatch(new RegExp(`^/threads/${id}/runs/[0-9a-f-]{36}$`));
    expect(location(answer)).toBe(`${runOf(answer)}/stream`);
  });

  test('without a thread, its locations contain only the run id', async () => {
    const answer = await api.post('/runs/stream', {
      assistant_id: 'echo',
      input: { text: 'x' },
      stream_resumable: true,
    });
    expect(runOf(answer)).toMatch(/^\/runs\/[0-9a-f-]{36}$/);
    expect(location(answer)).toBe(`${runOf(answer)}/stream`);
    const again = await api.get(location(answer), { 'last-event-id': '-1' });
    expect(framesOf(again.text)).toEqual(framesOf(answer.text));
  });

  test('exposes the location headers to browsers', async () => {
    const { headers } = await api.post(
      '/runs/stream',
      { assistant_id: 'echo' },
      { origin: 'https://studio.example' },
    );
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase();
    for (const name of ['content-location', 'location', 'x-pagination-total', 'x-pagination-next'])
      expect(exposed).toContain(name);
  });

  test('frames have an event, one line of data, and an id if the run is resumable', async () => {
    const id = await newThread();
    const body = {
      assistant_id: 'echo',
      input: { text: 'line\none\r\ntwo\u2028three' },
      stream_mode: 'updates',
    };
    const plain = framesOf((await stream(id, body)).text);
    expect(plain.map(({ event, id }) => [event, id])).toEqual([
      ['metadata', undefined],
      ['updates', undefined],
    ]);
    expect(plain[1]!.data).toEqual({ answer: { echo: 'line\none\r\ntwo\u2028three' } });
    const kept = framesOf((await stream(id, { ...body, stream_resumable: true })).text);
    expect(kept.every((frame) => frame.id)).toBe(true);
  });

  test('sends heartbeats from the start, while the run is pending and running', async () => {
    const id = await newThread();
    const [before, itself] = [makeGate(), makeGate()];
    const body = (until: string) => ({ assistant_id: 'sleepy', input: { ms: 0, until } });
    await api.post(`/threads/${id}/runs`, body(before.file));
    const answer = await openPost(`${api.url}/threads/${id}/runs/stream`, body(itself.file));
    const waited = await answer.until('heartbeats while it waits', (text) => heartbeatsIn(text) >= 5);
    expect(waited).not.toContain('event:');
    before.open();
    const working = (text: string) => text.split('event: metadata')[1] ?? '';
    await answer.until('heartbeats while it works', (text) => heartbeatsIn(working(text)) >= 3);
    itself.open();
    expect(await answer.whole()).toContain('event: values');
  });

  test('the outcome is stored before the stream closes', async () => {
    for (const [assistant_id, status, thread] of [
      ['echo', 'success', 'idle'],
      ['boom', 'error', 'error'],
      ['approval', 'interrupted', 'interrupted'],
    ]) {
      const id = await newThread();
      const answer = await stream(id, { assistant_id, input: {} });
      expect((await api.get(runOf(answer))).json.status).toBe(status);
      expect((await api.get(`/threads/${id}`)).json.status).toBe(thread);
    }
  });

  test('delivers events of any size in order, resumable or not', async () => {
    const text = 'ü'.repeat(200_000);
    for (const stream_resumable of [false, true]) {
      const body = {
        assistant_id: 'echo',
        input: { text },
        stream_mode: ['values', 'tasks'],
        stream_resumable,
      };
      const frames = framesOf((await stream(await newThread(), body)).text);
      expect(frames.map(({ event }) => event)).toEqual(['metadata', 'values', 'tasks', 'tasks', 'values']);
      expect(frames.at(-1)!.data.echo).toBe(text);
    }
  });

  test('never ends before the last event, however short the run', async () => {
    const body = { assistant_id: 'approval', input: { topic: 'x' } };
    const ends: string[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < 25; n++) {
          ends.push(
            framesOf((await stream(await newThread(), body)).text)
              .map(({ event }) => event)
              .join(),
          );
        }
      }),
    );
    expect(new Set(ends)).toEqual(new Set(['metadata,values,values,values']));
  });

  test('thousands of events keep their order and have unique ids', async () => {
    const id = await newThread();
    const body = {
      assistant_id: 'tokens',
      input: { events: 3_000 },
      stream_mode: 'custom',
      stream_resumable: true,
    };
    const answer = await stream(id, body);
    const frames = framesOf(answer.text);
    expect(frames.slice(1).map(({ data }) => data.index)).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
    expect(new Set(frames.map((frame) => frame.id)).size).toBe(3_001);
    const again = framesOf((await api.get(location(answer), { 'last-event-id': frames[1_000]!.id! })).text);
    expect(again).toEqual(frames.slice(1_001));
  });
});

test('debug and checkpoints modes identify each checkpoint, its parent, and those of subgraphs', async () => {
  const id = await newThread();
  const frames = framesOf(
    (
      await stream(id, {
        assistant_id: 'parent',
        input: { topic: 'x' },
        stream_mode: ['debug', 'checkpoints'],
        durability: 'sync',
      })
    ).text,
  );
  const checkpoints = frames.filter(({ event, data }) => event === 'debug' && data.type === 'checkpoint');
  const payloads = checkpoints.map(({ data }) => data.payload);
  const { json: history } = await api.get(`/threads/${id}/history?limit=10`);
  expect(payloads.map(({ checkpoint }) => checkpoint.checkpoint_id)).toEqual(
    history.map((state: { checkpoint_id: string }) => state.checkpoint_id).toReversed(),
  );
  const point = (checkpoint_id: unknown) => ({
    thread_id: id,
    checkpoint_ns: '',
    checkpoint_id,
    checkpoint_map: null,
  });
  for (const [index, { checkpoint, parent_checkpoint, ...payload }] of payloads.entries()) {
    expect(checkpoint).toEqual(point(expect.any(String)));
    expect(parent_checkpoint).toEqual(payloads[index - 1]?.checkpoint ?? null);
    expect(Object.keys(payload.config.configurable)).not.toContainEqual(expect.stringMatching(/^__/));
    expect(payload).not.toHaveProperty('parentConfig');
  }
  const [child] = payloads.flatMap(({ tasks }) => tasks).filter(({ name }) => name === 'child');
  expect(child).not.toHaveProperty('state');
  expect(child.checkpoint).toEqual({
    ...point(null),
    checkpoint_ns: `child:${child.id}`,
  });
  const alone = frames.filter(({ event }) => event === 'checkpoints').map(({ data }) => data);
  expect(alone).toEqual(payloads);
});

test("a graph's stream transformers see only runs of the event protocol", async () => {
  const body = { assistant_id: 'transformed', input: { tokens: 1 }, stream_mode: ['custom', 'updates'] };
  const frames = framesOf((await api.post('/runs/stream', body)).text);
  const custom = frames.filter(({ event }) => event === 'custom');
  expect(custom.map(({ data }) => data.name)).toEqual(['progress', 'progress']);
});

describe('an ended run', () => {
  const body = { assistant_id: 'steps', input: { steps: 2 }, stream_mode: ['values', 'updates'] };

  test('that is not resumable has no events', async () => {
    const answer = await stream(await newThread(), body);
    for (const headers of [{}, { 'last-event-id': '-1' }, { 'last-event-id': '123-0' }]) {
      const again = await api.get(location(answer), headers);
      expect([again.status, framesOf(again.text)]).toEqual([200, []]);
    }
  });

  test("that is resumable is replayed from the reader's position", async () => {
    const answer = await stream(await newThread(), { ...body, stream_resumable: true });
    const frames = framesOf(answer.text);
    const from = async (id?: string, query = '') =>
      framesOf(
        (await api.get(location(answer) + query, id === undefined ? {} : { 'last-event-id': id })).text,
      );
    expect(await from('-1')).toEqual(frames);
    expect(await from('-')).toEqual(frames);
    expect(await from('0')).toEqual(frames);
    expect(await from(frames[2]!.id)).toEqual(frames.slice(3));
    const [ms] = frames.at(-1)!.id!.split('-');
    expect(await from(`${ms}-*`)).toEqual([]);
    expect(await from()).toEqual([]);
    const updates = frames.filter(({ event }) => event === 'metadata' || event === 'updates');
    for (const query of [
      '?stream_mode=updates',
      '?stream_mode=%22updates%22',
      `?stream_mode=${encodeURIComponent('["updates"]')}`,
    ]) {
      expect(await from('-1', query)).toEqual(updates);
    }
    expect(await from('-1', '?stream_mode=updates&stream_mode=values')).toEqual(frames);
    expect(await from('-1', '?stream_mode=updates,values')).toEqual(frames);
    expect((await api.get(location(answer), { 'last-event-id': 'x' })).status).toBe(422);
    expect((await api.get(`${location(answer)}?stream_mode=rumours`)).json).toEqual({
      detail: expect.any(String),
    });
  });

  test('that failed sends the failure again', async () => {
    const answer = await stream(await newThread(), {
      assistant_id: 'boom',
      input: { message: 'x' },
      stream_resumable: true,
    });
    const frames = framesOf(
      (await api.get(`${location(answer)}?stream_mode=updates`, { 'last-event-id': '-1' })).text,
    );
    expect(frames.map(({ event }) => event)).toEqual(['metadata', 'error']);
    expect(frames[1]!.data).toEqual({ error: 'Error', message: 'x' });
  });

  test('that does not exist is a 404', async () => {
    const path = `/threads/${await newThread()}/runs/${randomUUID()}/stream`;
    expect((await api.get(path)).status).toBe(404);
    expect((await api.get(`/runs/${randomUUID()}/stream`)).status).toBe(404);
  });
});

test('a stream ends when its run or its thread is deleted', async () => {
  for (const remove of [(run: string) => run, (run: string) => run.split('/runs/')[0]!]) {
    const id = await newThread();
    const { json } = await api.post(`/threads/${id}/runs`, {
      assistant_id: 'sleepy',
      input: { ms: 600_000 },
    });
    const run = `/threads/${id}/runs/${json.run_id}`;
    const reading = await openAnswer(`${api.url}${run}/stream`);
    expect(reading.status).toBe(200);
    expect((await api.delete(remove(run))).status).toBe(204);
    await reading.whole();
  }
});
