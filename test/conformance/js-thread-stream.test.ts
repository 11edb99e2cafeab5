import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Client } from 'langgraph-sdk-1';
import { WebSocket } from 'ws';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const client = () => new Client({ apiUrl: api.url, apiKey: null as never, callerOptions: { maxRetries: 0 } });
// Browsers have their own.
const webSocketFactory = (url: string) => new WebSocket(url) as never;
const human = (content: string, id: string) => ({ messages: [{ type: 'human', content, id }] });

async function toEnd<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

describe.each(['sse', 'websocket'] as const)('threads.stream over %s', (transport) => {
  const open = (assistantId: string, threadId: string = randomUUID()) =>
    client().threads.stream(threadId, { assistantId, transport, webSocketFactory }) as any;

  test('a new thread: values, output, messages token by token', async () => {
    const thread = open('tokens');
    const { messages } = thread;
    const started = await thread.run.start({ input: { ...human('hi', 'h1'), tokens: 3, delay_ms: 50 } });
    expect(started.run_id).toMatch(/^[0-9a-f-]{36}$/);
    const texts: string[] = [];
    const parts: string[] = [];
    for await (const message of messages) {
      for await (const text of message.text) parts.push(text);
      texts.push(await message.text);
      break;
    }
    expect(parts).toEqual(['t0', ' t1', ' t2']);
    expect(texts).toEqual(['t0 t1 t2']);
    expect((await thread.output).messages).toMatchObject([{ content: 'hi' }, { content: 't0 t1 t2' }]);
    await thread.close();
  });

  test('an interrupt is received and answered on the same handle', async () => {
    const thread = open('approval');
    await thread.run.start({ input: { topic: 'cats' } });
    await toEnd(thread.values);
    // It arrives on a separate stream.
    await until('it is interrupted', () => thread.interrupted);
    expect(thread.interrupts).toMatchObject([{ payload: { question: 'Publish?' }, namespace: [] }]);
    const events = await thread.subscribe({ channels: ['values', 'lifecycle'] });
    await thread.input.respond({
      namespace: [],
      interrupt_id: thread.interrupts[0].interruptId,
      response: 'yes',
    });
    let last: unknown;
    for await (const event of events) {
      if (event.method === 'values') last = event.params.data;
      if (event.method === 'lifecycle' && event.params.data.event === 'completed') break;
    }
    expect(last).toMatchObject({ decision: 'yes', published: true });
    await thread.close();
  });

  test('subgraphs are discovered, each with its namespace', async () => {
    const thread = open('parent');
    const raw = await thread.subscribe({ channels: ['lifecycle'] });
    await thread.run.start({ input: { topic: 'x' } });
    const seen: string[] = [];
    for await (const { params } of raw) {
      seen.push(
        `${params.namespace.map((part: string) => part.split(':')[0]).join('/')} ${params.data.event}`,
      );
      if (params.namespace.length === 0 && params.data.event === 'completed') break;
    }
    expect(seen).toEqual([
      ' running',
      'child started',
      'child/grandchild started',
      'child/grandchild completed',
      'child completed',
      ' completed',
    ]);
    expect(await thread.agent.getTree({})).toMatchObject({
      tree: { namespace: [], graph_name: 'parent', status: 'completed', children: [{ graph_name: 'child' }] },
    });
    await thread.close();
  });

  test("a named channel of a node's writes", async () => {
    const thread = open('channels');
    const extension = thread.extensions.progress;
    await thread.run.start({ input: { count: 3 } });
    expect(await toEnd(extension)).toEqual([{ step: 0 }, { step: 1 }, { step: 2 }]);
    expect(await extension).toEqual({ step: 2 });
    await thread.close();
  });

  test('a named event without a payload is its own payload', async () => {
    const thread = open('transformed');
    const extension = thread.extensions.progress;
    await thread.run.start({ input: { tokens: 1 } });
    expect(await toEnd(extension)).toEqual([{ percent: 50 }, { percent: 50 }]);
    await thread.close();
  });

  test("a stream transformer's events reach extensions and leave other events unchanged", async () => {
    const thread = open('transformed');
    const { messages } = thread;
    const [steps, total] = [thread.extensions.steps, thread.extensions.total];
    await thread.run.start({ input: { tokens: 3 } });
    expect(await toEnd(steps)).toEqual([{ step: 'talk' }, { step: 'child' }]);
    expect(await total).toBe(2);
    for await (const message of messages) {
      expect(await message.text).toBe('t0 t1 t2');
      break;
    }
    expect((await thread.output).messages).toHaveLength(2);
    await thread.close();
  });

  test('state.get reads the thread; unknown commands and interrupts return their error code', async () => {
    const thread = open('approval');
    await thread.run.start({ input: { topic: 'dogs' } });
    await toEnd(thread.values);
    expect(await thread.state.get({ namespace: [], keys: ['draft'] })).toMatchObject({
      values: { draft: 'About dogs' },
      checkpoint: { id: expect.any(String) },
    });
    await expect(thread.state.fork({ checkpoint_id: 'x' })).rejects.toMatchObject({
      code: 'unknown_command',
    });
    const answer = { namespace: [], interrupt_id: 'nobody', response: 1 };
    await expect(thread.input.respond(answer)).rejects.toMatchObject({ code: 'no_such_interrupt' });
    await thread.close();
  });

  test('tools are streamed from start to end, and their results as messages', async () => {
    const thread = open('tools');
    const calls = toEnd<any>(thread.toolCalls);
    await thread.run.start({ input: human('what is the weather?', 'h1') });
    await thread.output;
    const states = await calls;
    const [call] = states;
    // The client shows a call when it starts, and again when it is done.
    expect(states.map(({ callId }) => callId as string)).toEqual(['call_1', 'call_1']);
    expect(call).toMatchObject({ name: 'weather', input: { city: 'Kyoto' } });
    expect(await call.output).toBe('Sunny in Kyoto');
    await thread.close();
  });
});
