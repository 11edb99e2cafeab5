import { describe, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { ALL, command, isRootEnd, newThread, openEvents } from './protocol-client.ts';

const api = useApi();
const input = { tokens: 2, events: 1, messages: [{ type: 'human', content: 'hi', id: 'h1' }] };

async function ran(assistant_id: string, input_: object, thread = newThread()): Promise<string> {
  const reader = await openEvents(api, thread, { channels: ['lifecycle'] });
  const { result } = await command(api, thread, 'run.start', { assistant_id, input: input_ });
  await reader.until(
    ({ event_id, params }) =>
      event_id.includes(result.run_id) && params.data.event !== 'running' && params.namespace.length === 0,
  );
  reader.close();
  return thread;
}

describe('POST /threads/{thread_id}/stream/events', () => {
  test('a stream opened before its thread exists has the whole run, in frames with method and seq', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ALL });
    const answer = await command(api, thread, 'run.start', { assistant_id: 'tokens', input });
    expect(answer).toMatchObject({ type: 'success', id: 1, meta: { applied_through_seq: 0 } });
    await reader.until(isRootEnd);
    reader.close();
    for (const { event, id, data } of reader.frames) {
      expect([event, id, data.type]).toEqual([data.method, String(data.seq), 'event']);
      expect(Object.keys(data)).toEqual(['type', 'event_id', 'seq', 'method', 'params']);
      expect(data.event_id).toMatch(/^(\d+-\d+(\.\d+)?|synth:.+)$/);
      expect(data.params).toMatchObject({ namespace: [], timestamp: expect.any(Number) });
    }
    const messages = reader.events.filter(({ method }) => method === 'messages');
    expect(messages.map(({ params }) => params.data.event)).toEqual([
      'message-start',
      'content-block-start',
      'content-block-delta',
      'content-block-delta',
      'content-block-finish',
      'message-finish',
    ]);
    expect(messages[0]!.params).toMatchObject({ node: 'model', data: { role: 'ai' } });
    const methods = new Set(reader.events.map(({ method }) => method));
    expect([...methods].sort()).toEqual(
      ['checkpoints', 'custom', 'lifecycle', 'messages', 'tasks', 'updates', 'values'].sort(),
    );
    const update = reader.events.find(({ method }) => method === 'updates')!;
    expect(update.params).toMatchObject({
      node: 'model',
      data: { messages: [{ type: 'ai', content: 't0 t1' }] },
    });
  });

  test('a state follows its checkpoint, which names its parent', async () => {
    const thread = await ran('steps', { steps: 2 });
    const reader = await openEvents(api, thread, { channels: ['values', 'checkpoints'] });
    await reader.until(({ method, params }) => method === 'values' && params.data.done.length === 2);
    reader.close();
    const summary = reader.events.map(({ method, params }) =>
      method === 'values' ? params.data.done : params.data.step,
    );
    expect(summary).toEqual([-1, 0, [], 1, [1], 2, [1, 2]]);
    const checkpoints = reader.events
      .filter(({ method }) => method === 'checkpoints')
      .map(({ params }) => params.data);
    expect(checkpoints[0]).toEqual({ id: expect.any(String), step: -1, source: 'input' });
    expect(checkpoints.slice(1).map(({ parent_id }) => parent_id)).toEqual(
      checkpoints.slice(0, -1).map(({ id }) => id),
    );
  });

  test('all connections send the same events; `since` skips known ones, also of an earlier run', async () => {
    const thread = await ran('tokens', input);
    await ran('steps', { steps: 1 }, thread);
    const whole = await openEvents(api, thread, { channels: ALL });
    await whole.until(
      ({ method, params }) =>
        method === 'lifecycle' && params.data.event === 'completed' && params.data.graph_name === 'steps',
    );
    whole.close();
    const seqs = whole.events.map(({ seq }) => seq);
    expect([...seqs].sort((a, b) => a - b)).toEqual(seqs);
    for (const at of [0, 5, whole.events.findIndex(isRootEnd), seqs.length - 2]) {
      const rest = await openEvents(api, thread, { channels: ALL, since: seqs[at]! });
      await rest.until(({ seq }) => seq === seqs.at(-1));
      rest.close();
      expect(rest.events).toEqual(whole.events.slice(at + 1));
    }
    const named = await openEvents(
      api,
      thread,
      { channels: ALL },
      { 'last-event-id': whole.events[6]!.event_id },
    );
    await named.until(({ seq }) => seq === seqs.at(-1));
    named.close();
    expect(named.events).toEqual(whole.events.slice(7));
  });

  test('namespaces and depth filter events, by node name or by one execution', async () => {
    const thread = await ran('parent', { topic: 'x' });
    const expectNamespaces = async (filter: object, expected: string[]) => {
      const reader = await openEvents(api, thread, {
        channels: ['values', 'lifecycle', 'custom'],
        ...filter,
      });
      const namespaces = () =>
        new Set(
          reader.events.map(({ params }) => params.namespace.map((part) => part.split(':')[0]).join('/')),
        );
      await until(`events of ${expected.join()}`, () => expected.every((name) => namespaces().has(name)));
      // Unwanted events would arrive with these or right after them.
      await new Promise((resolve) => setTimeout(resolve, 300));
      reader.close();
      expect(namespaces()).toEqual(new Set(expected));
    };
    await expectNamespaces({}, ['', 'child', 'child/grandchild']);
    await expectNamespaces({ namespaces: [['child']] }, ['child', 'child/grandchild']);
    await expectNamespaces({ namespaces: [['child']], depth: 0 }, ['child']);
    await expectNamespaces({ namespaces: [[]], depth: 1 }, ['', 'child']);
    await expectNamespaces({ namespaces: [['child:another']] }, []);
  });

  test('a failed or cancelled run ends its own stream, not the connection', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ['lifecycle'] });
    await command(api, thread, 'run.start', {
      assistant_id: 'boom',
      input: { kind: 'type-error', message: 'bad' },
    });
    expect((await reader.until(isRootEnd)).params.data).toMatchObject({ event: 'failed', error: 'bad' });
    const { result } = await command(api, thread, 'run.start', {
      assistant_id: 'sleepy',
      input: { ms: 600_000 },
    });
    await reader.until(({ event_id }) => event_id === `synth:${result.run_id}:lifecycle||running`);
    await api.post(`/threads/${thread}/runs/${result.run_id}/cancel?wait=1`);
    await reader.until(({ event_id }) => event_id === `synth:${result.run_id}:lifecycle||interrupted`);
    reader.close();
  });

  test('runs started by other routes are streamed live, in the modes they use', async () => {
    const thread = newThread();
    const reader = await openEvents(api, thread, { channels: ALL });
    await api.post(`/threads/${thread}/runs`, {
      assistant_id: 'steps',
      input: { steps: 1 },
      if_not_exists: 'create',
    });
    await reader.until(isRootEnd);
    reader.close();
    expect(reader.events.map(({ method }) => method)).toEqual(['lifecycle', 'values', 'values', 'lifecycle']);
  });

  test('an empty filter, an unknown channel and invalid JSON are bad requests', async () => {
    for (const body of [
      { channels: [] },
      { channels: ['debug'] },
      {},
      '{',
      { channels: ['values'], depth: -1 },
    ]) {
      const answer = await api.post(`/threads/${newThread()}/stream/events`, body);
      expect([answer.status, Object.keys(answer.json)]).toEqual([400, ['detail']]);
    }
    expect((await api.post('/threads/nothing/stream/events', { channels: ['values'] })).status).toBe(422);
    expect((await api.get(`/threads/${newThread()}/stream/events`)).status).toBe(426);
  });
});
