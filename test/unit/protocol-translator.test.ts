import { describe, expect, test } from '@jest/globals';
import { msOf, seqAt } from '../../src/agent-server/protocol/envelope.ts';
import { passesFilter } from '../../src/agent-server/protocol/event-filter.ts';
import { type KnownRun, ThreadTranslator } from '../../src/agent-server/protocol/thread-translator.ts';

const RUN: KnownRun = { run_id: 'r1', graph_id: 'agent', checkpoints: false, status: 'success' };
const START = Date.UTC(2026, 0, 1);
type Source = [event: string, data: unknown];

function translate(sources: Source[], run: KnownRun = RUN, from = START) {
  const translator = new ThreadTranslator();
  return sources.flatMap(([event, data], index) =>
    translator.translate(run, { id: { ms: from + index, seq: 0 }, event, data: JSON.stringify(data) }),
  );
}

const chunk = (id: string, more: object) => ({ type: 'AIMessageChunk', id, content: '', ...more });
const at = (node: string) => ({ langgraph_node: node });
const messagesOf = (sources: Source[]) =>
  translate([['metadata', {}], ...sources])
    .filter(({ method }) => method === 'messages')
    .map(({ params }) => {
      const { id: _id, run_id: _run, metadata: _metadata, ...data } = params.data as Record<string, unknown>;
      return data;
    });

describe('a run', () => {
  test("is reported from running to its outcome, with consecutive numbers from its first event's time", () => {
    const events = translate([
      ['metadata', { run_id: 'r1', attempt: 1 }],
      ['custom', 1],
      ['run_done', {}],
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([0, 1, 2].map((step) => seqAt(START) + step));
    expect(events.map(({ event_id }) => event_id)).toEqual([
      'synth:r1:lifecycle||running',
      `${START + 1}-0`,
      'synth:r1:lifecycle||completed',
    ]);
    expect(msOf(events[2]!.seq)).toBe(START);
  });

  test('whose start is not stored has only its end', () => {
    const events = translate([
      ['values', {}],
      ['run_done', {}],
    ]);
    expect(events.map(({ params }) => params.data)).toEqual([{ event: 'completed', graph_name: 'agent' }]);
  });

  test('that fails reports it once, and ends open messages', () => {
    const events = translate([
      ['metadata', {}],
      ['values|child:1', { a: 1 }],
      ['messages|model:2', [chunk('m', { content: 'hal' }), at('model')]],
      ['error', { error: 'Error', message: 'bad' }],
      ['run_done', {}],
    ]);
    expect(events.slice(-3).map(({ method, params }) => [method, params.namespace, params.data])).toEqual([
      [
        'messages',
        [],
        { event: 'error', message: expect.any(String), code: 'aborted', id: 'm', run_id: 'm' },
      ],
      ['lifecycle', ['child:1'], { event: 'failed', graph_name: 'child' }],
      ['lifecycle', [], { event: 'failed', graph_name: 'agent', error: 'bad' }],
    ]);
  });

  test('taken up by another attempt does not start again', () => {
    const events = translate([
      ['metadata', { attempt: 1 }],
      ['metadata', { attempt: 2 }],
      ['run_done', {}],
    ]);
    expect(events.map(({ params }) => (params.data as { event: string }).event)).toEqual([
      'running',
      'completed',
    ]);
  });

  test('requests each interrupt once, before it ends', () => {
    const open = { __interrupt__: [{ id: 'i', value: { q: 1 } }] };
    const events = translate(
      [
        ['metadata', {}],
        ['updates|child:1', open],
        ['updates', open],
        ['values', open],
        ['tasks', { id: '1', name: 'child', result: {}, interrupts: open.__interrupt__ }],
        ['run_done', {}],
      ],
      { ...RUN, status: 'interrupted' },
    );
    expect(events.filter(({ method }) => method === 'input.requested')).toMatchObject([
      { event_id: 'synth:r1:input|child:1|i', params: { data: { interrupt_id: 'i', payload: { q: 1 } } } },
    ]);
    expect(events.filter(({ method }) => method === 'values')).toEqual([]);
    expect(events.slice(-3).map(({ method, params }) => [method, params.namespace])).toEqual([
      ['lifecycle', ['child:1']],
      ['input.requested', ['child:1']],
      ['lifecycle', []],
    ]);
  });

  test('cancelled before it started does not affect the numbers of another', () => {
    const translator = new ThreadTranslator();
    const tell = (run: KnownRun, event: string, ms: number) =>
      translator.translate(run, { id: { ms, seq: 0 }, event, data: '{}' }).map(({ seq }) => seq);
    const [start] = tell(RUN, 'metadata', START);
    expect(tell({ ...RUN, run_id: 'r2', status: 'interrupted' }, 'run_done', START + 5)).toEqual([start]);
    expect(tell(RUN, 'custom', START + 6)).toEqual([start! + 1]);
    expect(tell(RUN, 'run_done', START + 7)).toEqual([start! + 2]);
  });
});

describe('messages', () => {
  test('one block finishes before the next starts; a tool call is read when it is whole', () => {
    const call = (args: string, more: object = {}) => ({ tool_call_chunks: [{ index: 0, args, ...more }] });
    const events = messagesOf([
      ['messages|model:1', [chunk('m', { content: 'Let' }), at('model')]],
      ['messages|model:1', [chunk('m', call('{"a"', { id: 'c', name: 'add' })), at('model')]],
      [
        'messages|model:1',
        [chunk('m', { ...call(':1}'), usage_metadata: { input_tokens: 2 } }), at('model')],
      ],
      ['tasks', { id: '1', name: 'model', result: {} }],
    ]);
    expect(events).toEqual([
      { event: 'message-start', role: 'ai' },
      { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } },
      { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'Let' } },
      { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'Let' } },
      {
        event: 'content-block-start',
        index: 1,
        content: { type: 'tool_call_chunk', id: 'c', name: 'add', args: '' },
      },
      {
        event: 'content-block-delta',
        index: 1,
        delta: {
          type: 'block-delta',
          fields: { type: 'tool_call_chunk', id: 'c', name: 'add', args: '{"a"' },
        },
      },
      {
        event: 'content-block-delta',
        index: 1,
        delta: {
          type: 'block-delta',
          fields: { type: 'tool_call_chunk', id: 'c', name: 'add', args: '{"a":1}' },
        },
      },
      {
        event: 'content-block-finish',
        index: 1,
        content: { type: 'tool_call', id: 'c', name: 'add', args: { a: 1 } },
      },
      { event: 'message-finish', usage: { input_tokens: 2 } },
    ]);
  });

  test('reasoning, images and unknown content are separate blocks', () => {
    const content = [
      { type: 'reasoning', reasoning: 'hm', index: 0 },
      { type: 'image', url: 'https://example.com/a.png' },
      { type: 'strange', x: 1 },
    ];
    const finished = messagesOf([['messages|n:1', [{ type: 'ai', id: 'm', content }, at('n')]]]).filter(
      ({ event }) => event === 'content-block-finish',
    );
    expect(finished.map(({ content: block }) => block)).toEqual([
      content[0],
      content[1],
      { type: 'non_standard', value: content[2] },
    ]);
  });

  test('a whole message that was streamed before is not repeated', () => {
    const whole = { type: 'ai', id: 'm', content: 'hi' };
    const events = messagesOf([
      ['messages|n:1', [chunk('m', { content: 'hi' }), at('n')]],
      ['tasks', { id: '1', name: 'n', result: {} }],
      ['messages|n:1', [whole, at('n')]],
    ]);
    expect(events.map(({ event }) => event)).toEqual([
      'message-start',
      'content-block-start',
      'content-block-delta',
      'content-block-finish',
      'message-finish',
    ]);
  });
});

test('a state waits only for its checkpoint', () => {
  const checkpoint = (id: string, step: number) => ({
    config: { configurable: { checkpoint_id: id } },
    parent_config: null,
    metadata: { step, source: 'loop' },
  });
  const events = translate(
    [
      ['metadata', {}],
      ['values', { a: 1 }],
      ['checkpoints', checkpoint('c1', 1)],
      ['values', { a: 2 }],
      ['custom', 0],
      ['run_done', {}],
    ],
    { ...RUN, checkpoints: true },
  );
  expect(events.map(({ method }) => method)).toEqual([
    'lifecycle',
    'checkpoints',
    'values',
    'values',
    'custom',
    'lifecycle',
  ]);
  expect(events[2]!.event_id).toBe(`${START + 1}-0`);
  expect(events.at(-1)!.params.data).toMatchObject({ checkpoint: { id: 'c1' } });
});

test('a subgraph that a tool call started names its cause', () => {
  const events = translate([
    ['metadata', {}],
    ['tasks', { id: 't', name: 'tools', input: { tool_call: { id: 'call_1' } } }],
    ['values|tools:t', {}],
  ]);
  expect(events[2]!.params.data).toEqual({
    event: 'started',
    graph_name: 'tools',
    trigger_call_id: 't',
    cause: { type: 'toolCall', tool_call_id: 'call_1' },
  });
});

test('filters by channel, prefix and depth', () => {
  const event = (method: string, namespace: string[], data: unknown = {}) =>
    ({ type: 'event', event_id: '', seq: 0, method, params: { namespace, timestamp: 0, data } }) as never;
  const named = passesFilter({ channels: ['custom:a'] });
  expect(named(event('custom', [], { name: 'a' }))).toBe(true);
  expect(named(event('custom', [], { name: 'b' }))).toBe(false);
  expect(passesFilter({ channels: ['custom'] })(event('custom', [], { name: 'b' }))).toBe(true);
  expect(passesFilter({ channels: ['input'] })(event('input.requested', []))).toBe(true);
  const below = passesFilter({ channels: ['values'], namespaces: [['a'], ['b:1']], depth: 1 });
  expect(below(event('values', ['a:7', 'x:1']))).toBe(true);
  expect(below(event('values', ['a:7', 'x:1', 'y:1']))).toBe(false);
  expect(below(event('values', ['b:1']))).toBe(true);
  expect(below(event('values', ['b:2']))).toBe(false);
  expect(below(event('values', []))).toBe(false);
});
