import { describe, expect, jest, test } from '@jest/globals';
import { FIXTURES } from '../support/agent-server.ts';
import { useApi } from '../support/use-api.ts';
import { clientOf, collect, eventsOf, type Part, SDKS } from './js-sdk-clients.ts';

const api = useApi();
// A streamed message is complete once it is in the state; the Python server stops at its last chunk.
const COMPLETE = FIXTURES.includes('python') ? [] : ['messages/complete'];
const MODES = [
  'values',
  'updates',
  'messages',
  'messages-tuple',
  'events',
  'custom',
  'tasks',
  'checkpoints',
  'debug',
] as const;

describe.each(SDKS)('langgraph-sdk %s streams', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);
  const newThread = async () => (await client().threads.create()).thread_id;
  const stream = async (graph: string, payload: object, thread?: string): Promise<Part[]> =>
    collect(client().runs.stream(thread ?? (await newThread()), graph, payload));

  test('metadata first, then values: after the input, then after each step', async () => {
    const onRunCreated = jest.fn();
    const thread_id = await newThread();
    const parts = await stream('steps', { input: { steps: 2 }, onRunCreated }, thread_id);
    const { run_id } = parts[0]!.data;
    expect(parts).toEqual(
      [
        { event: 'metadata', data: { run_id, attempt: 1 } },
        { event: 'values', data: { steps: 2, done: [] } },
        { event: 'values', data: { steps: 2, done: [1] } },
        { event: 'values', data: { steps: 2, done: [1, 2] } },
      ].map((part) => expect.objectContaining(part)),
    );
    expect(onRunCreated).toHaveBeenCalledWith({ run_id, thread_id });
    expect(await client().runs.get(thread_id, run_id)).toMatchObject({ status: 'success' });
  });

  test('only the requested modes are sent', async () => {
    const input = { input: { tokens: 2, events: 1, messages: [{ type: 'human', content: 'hi', id: 'h1' }] } };
    for (const streamMode of MODES) {
      const names = new Set(eventsOf(await stream('tokens', { ...input, streamMode })));
      names.delete('metadata');
      const own = streamMode === 'messages-tuple' ? ['messages'] : [streamMode];
      const expected =
        streamMode === 'messages' ? [...COMPLETE, 'messages/metadata', 'messages/partial'] : own;
      expect([...names].sort()).toEqual(expected);
    }
  });

  test('updates: the writes of each node', async () => {
    const parts = await stream('tokens', { input: { events: 0 }, streamMode: 'updates' });
    expect(parts[1]).toMatchObject({ event: 'updates', data: { model: {} } });
    const fanned = await stream('fanout', { input: { items: 2 }, streamMode: ['updates'] });
    expect(fanned.slice(1).map(({ data }) => data)).toEqual([
      { square: { squares: [1] } },
      { square: { squares: [4] } },
      { sum: { total: 5 } },
    ]);
  });

  test('messages-tuple: chunks as they arrive, with their node', async () => {
    const parts = await stream('tokens', { input: { tokens: 3 }, streamMode: 'messages-tuple' });
    const chunks = parts.slice(1).map(({ data }) => data);
    expect(chunks.map(([{ content }]) => content)).toEqual(['t0', ' t1', ' t2']);
    expect(new Set(chunks.map(([{ id }]) => id)).size).toBe(1);
    expect(chunks[0]).toMatchObject([
      { type: 'AIMessageChunk', tool_call_chunks: [], id: expect.any(String) },
      {
        langgraph_node: 'model',
        langgraph_step: 1,
        langgraph_checkpoint_ns: expect.stringMatching(/^model:/),
      },
    ]);
  });

  test('messages: each chunk is the message so far; a whole message is complete at once', async () => {
    const parts = await stream('tokens', { input: { tokens: 3 }, streamMode: 'messages' });
    const partial = Array(3).fill('messages/partial');
    expect(eventsOf(parts)).toEqual(['metadata', 'messages/metadata', ...partial, ...COMPLETE]);
    const contents = ['t0', 't0 t1', 't0 t1 t2', 't0 t1 t2'];
    expect(parts.slice(2).map(({ data }) => data[0].content)).toEqual(contents.slice(0, 3 + COMPLETE.length));
    const { id } = parts[2]!.data[0];
    expect(parts[1]!.data).toMatchObject({ [id]: { metadata: { langgraph_node: 'model' } } });
    const whole = await stream('echo', {
      input: { messages: [{ role: 'user', content: 'hi', id: 'h1' }] },
      streamMode: 'messages',
    });
    expect(whole.at(-1)).toMatchObject({
      event: 'messages/complete',
      data: [{ type: 'ai', content: 'echo: hi', id: 'echo-h1', tool_calls: [] }],
    });
  });

  test('values carry messages as flat dicts', async () => {
    const parts = await stream('echo', { input: { messages: [{ role: 'user', content: 'hi', id: 'h1' }] } });
    const [human, ai] = parts.at(-1)!.data.messages;
    expect(human).toMatchObject({
      type: 'human',
      content: 'hi',
      id: 'h1',
      additional_kwargs: {},
      response_metadata: {},
    });
    expect(ai).toMatchObject({
      type: 'ai',
      content: 'echo: hi',
      tool_calls: [],
      invalid_tool_calls: [],
      usage_metadata: null,
    });
    expect(JSON.stringify(parts)).not.toContain('"lc":');
  });

  test('custom, tasks, checkpoints, debug and events', async () => {
    const streamMode = ['custom', 'tasks', 'checkpoints', 'debug', 'events'] as const;
    const parts = await stream('tokens', { input: { events: 2, tokens: 1 }, streamMode: [...streamMode] });
    const of = (name: string) => parts.filter(({ event }) => event === name).map(({ data }) => data);
    expect(of('custom')).toEqual([
      { index: 0, text: 'event 0' },
      { index: 1, text: 'event 1' },
    ]);
    const [started, ended] = of('tasks');
    expect(started).toMatchObject({ name: 'model', triggers: ['branch:to:model'], input: { events: 2 } });
    expect(ended).toMatchObject({
      id: started.id,
      name: 'model',
      error: null,
      interrupts: [],
      result: { messages: [{ type: 'ai' }] },
    });
    const checkpoints = of('checkpoints');
    expect(checkpoints.map(({ metadata }) => metadata.step)).toEqual([-1, 0, 1]);
    expect(checkpoints[2]).toMatchObject({
      next: [],
      tasks: [],
      config: {
        configurable: { thread_id: expect.any(String), checkpoint_ns: '', checkpoint_id: expect.any(String) },
      },
      parent_config: checkpoints[1].config,
    });
    expect(of('debug').map(({ type }) => type)).toEqual([
      'checkpoint',
      'checkpoint',
      'task',
      'task_result',
      'checkpoint',
    ]);
    expect(of('debug')[2]).toMatchObject({
      step: 1,
      timestamp: expect.any(String),
      payload: { name: 'model' },
    });
    const names = of('events').map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(['on_chain_start', 'on_chat_model_stream', 'on_chain_end']));
    const token = of('events').find(({ event }) => event === 'on_chat_model_stream');
    expect(token).toMatchObject({
      name: 'TokenModel',
      data: { chunk: { content: 't0' } },
      metadata: { langgraph_node: 'model' },
    });
  });

  test('an interrupt is in updates and in values, whichever are requested', async () => {
    const __interrupt__ = [{ id: expect.any(String), value: { question: 'Publish?', draft: 'About x' } }];
    const input = { topic: 'x' };
    const both = await stream('approval', { input, streamMode: ['values', 'updates'] });
    expect(both.slice(-2)).toMatchObject([
      { event: 'updates', data: { __interrupt__ } },
      { event: 'values', data: { __interrupt__ } },
    ]);
    const updates = await stream('approval', { input, streamMode: 'updates' });
    expect(updates.at(-1)).toMatchObject({ event: 'updates', data: { __interrupt__ } });
    const values = await stream('approval', { input, streamMode: 'values' });
    expect(values.at(-1)).toMatchObject({ event: 'values', data: { __interrupt__ } });
    const custom = await stream('approval', { input, streamMode: 'custom' });
    expect(eventsOf(custom)).toEqual(['metadata']);
  });

  test('subgraphs carry their namespace in the event name', async () => {
    const payload = { input: { topic: 'cats' }, streamMode: ['updates', 'values', 'tasks'] };
    const parts = await stream('parent', { ...payload, streamSubgraphs: true });
    const names = new Set(eventsOf(parts).map((name) => name.replaceAll(/:[0-9a-f-]{36}/g, ':id')));
    for (const mode of payload.streamMode) {
      for (const suffix of ['', '|child:id', '|child:id|grandchild:id'])
        expect(names).toContain(mode + suffix);
    }
    const inner = parts.find(({ event }) => /^updates\|child:[^|]+\|grandchild:/.test(event))!;
    expect(inner.data).toEqual({ look: { log: ['looked at cats'] } });
    const flat = await stream('parent', payload);
    expect(eventsOf(flat).filter((name) => name.includes('|'))).toEqual([]);
  });

  test('a failure is the last event', async () => {
    const parts = await stream('boom', { input: {}, streamMode: 'updates' });
    expect(parts.at(-1)).toMatchObject({ event: 'error', data: { error: 'Error' } });
    expect(JSON.stringify(parts)).not.toMatch(/hunter2|db\.internal/);
  });

  test('without a platform there are no feedback URLs', async () => {
    const parts = await stream('echo', { input: {}, feedbackKeys: ['helpful', 'kind'] });
    expect(parts.map(({ event }) => event)).not.toContain('feedback');
  });

  test('an unknown mode is refused', async () => {
    await expect(stream('echo', { streamMode: 'rumours' })).rejects.toMatchObject({ status: 422 });
    await expect(stream('echo', { streamMode: ['values', 'tools'] })).rejects.toMatchObject({ status: 422 });
  });
});
