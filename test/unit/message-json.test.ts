import { expect, test } from '@jest/globals';
import { Document } from '@langchain/core/documents';
import { Serializable } from '@langchain/core/load/serializable';
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatPromptValue } from '@langchain/core/prompt_values';
import { Command, Send } from '@langchain/langgraph';
import { toWire, toWireJson } from '../../src/graph-host/graphs/message-json.ts';

/** The message as a client reads it. */
const sent = (value: unknown): unknown => JSON.parse(toWireJson(value));

const common = { id: 'm1', name: null, additional_kwargs: {}, response_metadata: {} };
const ai = { ...common, type: 'ai', tool_calls: [], invalid_tool_calls: [], usage_metadata: null };

test.each([
  ['human', new HumanMessage({ id: 'm1', content: 'hi' }), { ...common, type: 'human', content: 'hi' }],
  [
    'system',
    new SystemMessage({ id: 'm1', content: 'be kind' }),
    { ...common, type: 'system', content: 'be kind' },
  ],
  ['ai', new AIMessage({ id: 'm1', content: 'yes' }), { ...ai, content: 'yes' }],
  [
    'named',
    new HumanMessage({ id: 'm1', name: 'ada', content: 'hi' }),
    { ...common, type: 'human', name: 'ada', content: 'hi' },
  ],
  ['remove', new RemoveMessage({ id: 'm1' }), { ...common, type: 'remove', content: [] }],
  [
    'generic',
    new ChatMessage({ id: 'm1', role: 'critic', content: 'no' }),
    { ...common, type: 'generic', role: 'critic', content: 'no' },
  ],
  ['without an id', new HumanMessage('hi'), { ...common, id: null, type: 'human', content: 'hi' }],
])('a message becomes a flat dict: %s', (_name, message, dict) => {
  expect(sent({ messages: [message] })).toEqual({ messages: [dict] });
});

test('tool calls, usage and content blocks stay as they are', () => {
  const tool_calls = [{ name: 'add', args: { a: 1 }, id: 'c1', type: 'tool_call' as const }];
  const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  const content = [{ type: 'text', text: 'thinking' }];
  const message = new AIMessage({ id: 'm1', content, tool_calls, usage_metadata } as never);
  expect(sent(message)).toEqual({ ...ai, content, tool_calls, usage_metadata });
});

test('a tool message has its call, status and artifact', () => {
  const message = new ToolMessage({
    id: 'm1',
    content: '3',
    tool_call_id: 'c1',
    artifact: { at: new Date(0) },
  });
  expect(sent(message)).toEqual({
    ...common,
    type: 'tool',
    content: '3',
    tool_call_id: 'c1',
    status: 'success',
    artifact: { at: '1970-01-01T00:00:00.000Z' },
  });
});

const chunk = new AIMessageChunk({
  id: 'm1',
  content: '',
  tool_call_chunks: [{ type: 'tool_call_chunk', name: 'add', args: '{"a"', id: 'c1', index: 0 }],
});

test('a streamed chunk has its chunk type and tool call chunks', () => {
  expect(sent(chunk)).toMatchObject({
    type: 'AIMessageChunk',
    tool_call_chunks: [{ name: 'add', args: '{"a"', id: 'c1', index: 0 }],
  });
  expect(sent(new AIMessageChunk('a'))).toMatchObject({
    type: 'AIMessageChunk',
    content: 'a',
    tool_call_chunks: [],
  });
});

test('a chunk inside a state becomes a message', () => {
  const state = { messages: [new AIMessageChunk({ id: 'm1', content: 'whole' })] };
  expect(sent(state)).toEqual({ messages: [{ ...ai, content: 'whole' }] });
});

test('other library objects become their data', () => {
  expect(sent(new Document({ pageContent: 'text', metadata: { page: 1 } }))).toMatchObject({
    pageContent: 'text',
    metadata: { page: 1 },
  });
  expect(sent({ prompt: new ChatPromptValue([new HumanMessage({ id: 'm1', content: 'hi' })]) })).toEqual({
    prompt: { messages: [{ ...common, type: 'human', content: 'hi' }] },
  });
  expect(sent(new Command({ resume: 1, goto: [new Send('node', { a: 1 }), 'end'] }))).toEqual({
    resume: 1,
    goto: [{ node: 'node', args: { a: 1 } }, 'end'],
  });
  expect(sent([{ id: 'i1', value: { question: 'ok?' } }])).toEqual([
    { id: 'i1', value: { question: 'ok?' } },
  ]);
});

test('secrets of library objects are hidden', () => {
  class Model extends Serializable {
    override lc_serializable = true;
    lc_namespace = ['test'];
    override get lc_secrets() {
      return { apiKey: 'API_KEY' };
    }
  }
  const text = toWireJson({ model: new Model({ apiKey: 'sk-123', temperature: 1 }) });
  expect(text).toContain('"temperature":1');
  expect(text).not.toContain('sk-123');
});

test('values that JSON lacks have a readable form', () => {
  expect(
    sent({
      map: new Map([['a', new Set([1, 2])]]),
      pairs: new Map([[{ id: 1 }, 'x']]),
      date: new Date('2026-01-02T03:04:05Z'),
      never: new Date(Number.NaN),
      big: 12n,
      huge: 2n ** 70n,
      bytes: Buffer.from('hi'),
      floats: new Float32Array([0.5, 1]),
      url: new URL('https://example.com/a'),
      missing: undefined,
      call: () => 1,
      nan: Number.NaN,
      boxed: Object('text') as string,
    }),
  ).toEqual({
    map: { a: [1, 2] },
    pairs: [[{ id: 1 }, 'x']],
    date: '2026-01-02T03:04:05.000Z',
    never: null,
    big: 12,
    huge: String(2n ** 70n),
    bytes: 'aGk=',
    floats: [0.5, 1],
    url: 'https://example.com/a',
    nan: null,
    boxed: 'text',
  });
});

test('an error has its class, and its message only if that is safe', () => {
  class DriverFailure extends Error {}
  expect(sent({ error: new TypeError('no such key') })).toEqual({
    error: { error: 'TypeError', message: 'no such key' },
  });
  expect(toWireJson(new DriverFailure('postgres://a:b@c/d'))).not.toContain('postgres');
});

test('cycles are cut, shared parts are repeated', () => {
  const node: Record<string, unknown> = { name: 'a' };
  node['self'] = { node };
  const shared = { x: 1 };
  expect(sent({ node, list: [shared, shared] })).toEqual({
    node: { name: 'a', self: { node: '[Circular]' } },
    list: [shared, shared],
  });
});

test('endless nesting does not overflow the stack', () => {
  let deep: unknown = 'bottom';
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(toWireJson(deep)).toContain('[Too deep]');
});

test('a failing toJSON does not drop the event', () => {
  class Broken {
    toJSON(): never {
      throw new Error('no');
    }
  }
  expect(sent({ ok: 1, broken: new Broken() })).toEqual({ ok: 1, broken: '[Broken]' });
});

test('NUL becomes U+FFFD in values and keys; an escaped one in text stays', () => {
  expect(sent({ 'a\0': 'b\0c', same: String.raw`\u0000` })).toEqual({
    'a\uFFFD': 'b\uFFFDc',
    same: String.raw`\u0000`,
  });
});

test('an unpaired surrogate becomes U+FFFD, a pair stays', () => {
  expect(sent({ half: 'a\ud83d', whole: 'a😀' })).toEqual({ half: 'a\ufffd', whole: 'a😀' });
});

test('unchanged values are not copied, and inputs are not modified', () => {
  const state = Object.freeze({ list: Object.freeze([1, { a: 'b' }]) });
  expect(toWire(state)).toBe(state);
  const message = new AIMessage('x');
  const mixed = Object.freeze({ messages: Object.freeze([message]), rest: state });
  expect((toWire(mixed) as { rest: unknown }).rest).toBe(state);
  expect(mixed.messages[0]).toBe(message);
});

test('undefined becomes null', () => {
  expect([toWireJson(undefined), toWireJson(() => 1), toWireJson(null)]).toEqual(['null', 'null', 'null']);
});
