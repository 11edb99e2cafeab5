import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MemoryServer } from '../support/memory-server.ts';
import { kinds, type LoadedHost, startLoaded } from './graph-host/hosts.ts';
import { configOf, type RunParams, runOn } from './graph-host/run-on-host.ts';

describe.each(kinds)('a graph host in $language over $transport', (kind) => {
  const server = new MemoryServer();
  let host: LoadedHost;

  beforeAll(async () => {
    host = await startLoaded(kind, server);
  });
  afterAll(async () => void (await host?.close()));

  const run = (params: RunParams) => runOn(host, params);
  const call = <Result>(method: string, params: object) => host.channel.call<Result>(method, params);
  type State = Record<string, unknown> & {
    values: object;
    next: string[];
    checkpoint: { checkpoint_id: string };
  };

  test('describes its graphs', () => {
    const { language, graphs, auth, http, encryption, embed, store, warnings } = host.description;
    expect({ language, auth, http, encryption, embed, store, warnings }).toEqual({
      language: kind.language,
      auth: null,
      http: false,
      encryption: null,
      embed: false,
      store: false,
      warnings: [],
    });
    expect(graphs['echo']).toMatchObject({ description: 'Answers with what it is given', is_factory: false });
    expect(graphs['factory']).toMatchObject({ is_factory: true });
    const { input_schema, output_schema, context_schema } = graphs['typed']!.schemas;
    expect(input_schema).toMatchObject({
      properties: { city: { type: 'string', description: 'Where to look' } },
    });
    expect(Object.keys((output_schema as { properties: object }).properties)).toEqual(['forecast']);
    expect(context_schema).toMatchObject({ properties: { unit: { enum: ['celsius', 'fahrenheit'] } } });
  });

  test('runs a graph and stores its checkpoints', async () => {
    const messages = [{ type: 'human', content: 'hello', id: 'm1' }];
    const { answer, thread_id, run_id } = await run({ graph_id: 'echo', input: { text: 'hi', messages } });
    const flat = { type: 'ai', content: 'echo: hello', id: 'echo-m1', tool_calls: [], name: null };
    expect(answer).toMatchObject({
      values: { echo: 'hi', messages: [messages[0], flat] },
      interrupts: {},
      waiting: false,
    });
    const rows = [...server.rows.values()].filter((row) => row.thread_id === thread_id);
    expect(rows.map((row) => (JSON.parse(row.metadata) as { source: string }).source)).toEqual([
      'input',
      'loop',
      'loop',
    ]);
    expect(rows.map((row) => row['run_id'])).toEqual([run_id, run_id, run_id]);
    expect(rows.slice(1).map((row) => row.parent_checkpoint_id)).toEqual(
      rows.slice(0, 2).map((row) => row.checkpoint_id),
    );
  });

  test('streams values and updates', async () => {
    const { of } = await run({ graph_id: 'echo', input: { text: 'hi' }, stream_mode: ['values', 'updates'] });
    expect(of('updates')).toEqual([{ answer: { echo: 'hi' } }]);
    expect(of('values').at(-1)).toMatchObject({ text: 'hi', echo: 'hi' });
  });

  test('streams custom events, tokens and whole messages', async () => {
    const { events, of } = await run({
      graph_id: 'tokens',
      input: { tokens: 3, events: 2 },
      stream_mode: ['custom', 'messages', 'messages-tuple'],
    });
    expect(of('custom')).toEqual([0, 1].map((index) => ({ index, text: `event ${index}` })));
    const tuples = of('messages') as [
      { content: string; type: string; id: string },
      { langgraph_node: string },
    ][];
    expect(tuples.map(([{ content }]) => content).join('')).toBe('t0 t1 t2');
    expect(tuples[0]).toMatchObject([
      { type: 'AIMessageChunk', tool_call_chunks: [] },
      { langgraph_node: 'model' },
    ]);
    const partial = of('messages/partial') as [{ content: string; type: string }][];
    expect(partial.at(-1)).toMatchObject([{ content: 't0 t1 t2', type: 'ai', id: tuples[0]![0].id }]);
    expect(of('messages/metadata')).toEqual([{ [tuples[0]![0].id]: { metadata: tuples[0]![1] } }]);
    expect(events.findIndex(([name]) => name === 'messages/metadata')).toBeLessThan(
      events.findIndex(([name]) => name === 'messages/partial'),
    );
  });

  test('streams tasks, checkpoints and debug events without server configuration', async () => {
    const secret = { a_secret_of_the_run: 'hidden' };
    const { of, thread_id, events } = await run({
      graph_id: 'echo',
      input: { text: 'hi' },
      stream_mode: ['tasks', 'checkpoints', 'debug'],
      config: { configurable: secret },
    });
    expect(of('tasks')).toMatchObject([
      { name: 'answer', input: { text: 'hi' } },
      { name: 'answer', result: { echo: 'hi' }, error: null, interrupts: [] },
    ]);
    const checkpoints = of('checkpoints') as { config: object; values: object }[];
    expect(checkpoints.at(-1)).toMatchObject({
      values: { echo: 'hi' },
      next: [],
      config: { configurable: { thread_id, checkpoint_ns: '' } },
    });
    const debug = of('debug') as { type: string; payload: object }[];
    expect(debug.findLast(({ type }) => type === 'checkpoint')!.payload).toMatchObject({
      values: { echo: 'hi' },
      checkpoint: { thread_id, checkpoint_ns: '' },
    });
    expect(new Set(debug.map(({ type }) => type))).toEqual(new Set(['checkpoint', 'task', 'task_result']));
    const shown = checkpoints.map(({ config }) => config);
    expect(
      JSON.stringify([
        shown,
        debug.map((event) => (event as { payload?: { config?: object } }).payload?.config),
      ]),
    ).not.toContain('hidden');
    expect(events.length).toBeGreaterThan(6);
  });

  test('streams LangChain events along with other modes', async () => {
    const { of } = await run({ graph_id: 'tokens', input: { tokens: 2 }, stream_mode: ['events', 'values'] });
    const names = (of('events') as { event: string }[]).map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(['on_chain_start', 'on_chat_model_stream', 'on_chain_end']));
    expect(of('values').at(-1)).toMatchObject({ messages: [{ content: 't0 t1' }] });
  });

  test('streams tool calls', async () => {
    const messages = [{ type: 'human', content: 'weather in Rome' }];
    const { of, answer } = await run({
      graph_id: 'tools',
      input: { messages },
      stream_mode: ['tools', 'updates'],
    });
    expect(of('updates').map((update) => Object.keys(update as object))).toEqual([
      ['model'],
      ['tools'],
      ['model'],
    ]);
    expect(of('tools').length).toBeGreaterThan(1);
    const { messages: all } = answer.values as { messages: { content: string; type: string }[] };
    expect(all.map(({ type, content }) => [type, content]).slice(2)).toEqual([
      ['tool', 'Sunny in Rome'],
      ['ai', 'Done.'],
    ]);
  });

  test("includes the subgraph's namespace in events", async () => {
    const { events } = await run({
      graph_id: 'parent',
      input: { topic: 'cats' },
      stream_mode: ['updates'],
      subgraphs: true,
    });
    const places = events.map(([name]) => name.replaceAll(/:[0-9a-f-]{36}/g, ''));
    expect(new Set(places)).toEqual(new Set(['updates', 'updates|child', 'updates|child|grandchild']));
  });

  test('runs many sends in parallel', async () => {
    const { answer } = await run({ graph_id: 'fanout', input: { items: 4 } });
    expect(answer.values).toMatchObject({ total: 30 });
    expect([...(answer.values['squares'] as number[])].sort((a, b) => a - b)).toEqual([1, 4, 9, 16]);
  });

  test.each([
    ['yes', true],
    [false, false],
    [0, true],
  ])('waits for an answer, and takes %p', async (resume, published) => {
    const asked = await run({ graph_id: 'approval', input: { topic: 'tea' } });
    const { thread_id } = asked;
    const question = { question: 'Publish?', draft: 'About tea' };
    expect(asked.answer.waiting).toBe(true);
    expect(Object.values(asked.answer.interrupts)).toMatchObject([
      [{ value: question, id: expect.any(String) }],
    ]);
    expect(asked.of('values').at(-1)).toMatchObject({ __interrupt__: [{ value: question }] });
    const state = await call<State>('state.get', {
      graph_id: 'approval',
      config: configOf(thread_id),
      point: null,
    });
    expect(state).toMatchObject({
      next: ['review'],
      interrupts: [{ value: question }],
      tasks: [{ name: 'review', error: null }],
    });
    const { answer } = await run({ graph_id: 'approval', thread_id, command: { resume } });
    expect(answer).toMatchObject({ values: { decision: resume, published }, waiting: false, interrupts: {} });
  });

  test('handles two interrupts in one node, answered by id', async () => {
    const { thread_id } = await run({ graph_id: 'interview', input: {} });
    const second = await run({ graph_id: 'interview', thread_id, command: { resume: 'Ada' } });
    const [[interrupt]] = Object.values(second.answer.interrupts) as [[{ id: string; value: unknown }]];
    expect(interrupt.value).toBe('Your age, Ada?');
    const { answer } = await run({
      graph_id: 'interview',
      thread_id,
      command: { resume: { [interrupt.id]: 36 } },
    });
    expect(answer.values).toMatchObject({ name: 'Ada', age: 36 });
  });

  test('stops before and after nodes', async () => {
    const before = await run({ graph_id: 'echo', input: { text: 'hi' }, interrupt_before: ['answer'] });
    expect(before.answer).toMatchObject({ waiting: true, values: { text: 'hi' }, interrupts: {} });
    const { answer } = await run({ graph_id: 'echo', thread_id: before.thread_id, input: null });
    expect(answer).toMatchObject({ waiting: false, values: { echo: 'hi' } });
    const after = await run({ graph_id: 'approval', input: {}, interrupt_after: ['write'] });
    expect(after.answer).toMatchObject({ waiting: true, values: { draft: 'About nothing' }, interrupts: {} });
  });

  test("follows a command's goto", async () => {
    const { thread_id } = await run({ graph_id: 'approval', input: {}, interrupt_after: ['write'] });
    const command = { update: { decision: 'no' }, goto: 'publish' };
    const { of } = await run({ graph_id: 'approval', thread_id, command, stream_mode: ['updates'] });
    expect(of('updates')).toContainEqual({ publish: { published: false } });
  });

  test.each(['sync', 'async', 'exit'])('keeps a run with durability %s', async (durability) => {
    const { thread_id } = await run({ graph_id: 'steps', input: { steps: 3 }, durability });
    const rows = [...server.rows.values()].filter((row) => row.thread_id === thread_id);
    expect(rows).toHaveLength(durability === 'exit' ? 1 : 5);
    const summary = await call('state.summary', { graph_id: 'steps', config: configOf(thread_id) });
    expect(summary).toMatchObject({ values: { done: [1, 2, 3] }, waiting: false });
  });

  test('gives graphs a store and their context', async () => {
    const context = { user_id: 'ada' };
    const { answer } = await run({ graph_id: 'stateful', input: { remember: 'tea' }, config: { context } });
    expect(answer.values).toMatchObject({ greeting: 'Hello, ada', memories: ['tea'] });
    const { answer: other } = await run({ graph_id: 'stateful', input: {} });
    expect(other.values).toMatchObject({ greeting: 'Hello, nobody', memories: [] });
  });

  test('calls a graph factory for each run', async () => {
    const flavoured = await run({
      graph_id: 'factory',
      input: {},
      config: { configurable: { flavour: 'mint' } },
    });
    expect(flavoured.answer.values).toEqual({ flavour: 'mint', node: 'mint' });
    expect((await run({ graph_id: 'factory', input: {} })).answer.values).toEqual({
      flavour: 'plain',
      node: 'plain',
    });
  });

  test("keeps a factory's context open while its graph runs", async () => {
    expect((await run({ graph_id: 'managed', input: {} })).answer.values).toEqual({ node: 'managed' });
  });

  test('runs a functional graph with memory', async () => {
    const { thread_id, answer } = await run({ graph_id: 'functional', input: { value: 2 } });
    expect(answer.values).toEqual({ product: 4, runs: 1 });
    expect((await run({ graph_id: 'functional', thread_id, input: { value: 3 } })).answer.values).toEqual({
      product: 6,
      runs: 2,
    });
  });

  test('lists, reads, forks and updates states', async () => {
    const graph_id = 'steps';
    const { thread_id } = await run({ graph_id, input: { steps: 2 } });
    const config = configOf(thread_id);
    const history = await call<State[]>('state.history', { graph_id, config, point: null, limit: 3 });
    expect(history.map(({ values }) => values)).toMatchObject([
      { done: [1, 2] },
      { done: [1] },
      { done: [] },
    ]);
    expect(history[0]).toMatchObject({
      next: [],
      metadata: { source: 'loop', step: 2 },
      parent_checkpoint: history[1]!.checkpoint,
    });
    const [, middle] = history;
    const before = await call<State[]>('state.history', {
      graph_id,
      config,
      limit: 9,
      before: middle!.checkpoint,
    });
    expect(before).toHaveLength(2);
    const inputs = await call<State[]>('state.history', {
      graph_id,
      config,
      limit: 9,
      filter: { source: 'input' },
    });
    expect(inputs).toHaveLength(1);
    expect(await call('state.get', { graph_id, config, point: middle!.checkpoint })).toEqual(middle);
    const point = { thread_id, checkpoint_ns: '', checkpoint_id: randomUUID() };
    expect(await call('state.get', { graph_id, config, point })).toBeNull();

    const { answer } = await run({ graph_id, thread_id, config: { configurable: middle!.checkpoint } });
    expect(answer.values).toMatchObject({ done: [1, 2] });
    const supersteps = [
      [{ values: { done: [7] }, as_node: 'step' }],
      [{ values: { done: [8] }, as_node: 'step' }],
    ];
    const updated = await call<{ configurable: object; state: State; summary: object }>('state.update', {
      graph_id,
      config,
      supersteps,
    });
    expect(updated).toMatchObject({ state: { values: { done: [1, 2, 7, 8] } }, summary: { waiting: false } });
    expect(updated.state.checkpoint).toMatchObject(updated.configurable);
  });

  test('refuses state calls if the factory fails', async () => {
    const config = { configurable: { thread_id: randomUUID(), flavour: '__start__' } };
    const params = { graph_id: 'factory', config, supersteps: [[{ values: {} }]], limit: 1 };
    // Like the reference server of each language.
    const refusal =
      kind.language === 'python'
        ? { status: 400, message: 'Node `__start__` is reserved.' }
        : { status: 422, message: "Graph 'factory' cannot be read: its own code failed" };
    for (const method of ['state.summary', 'state.get', 'state.history', 'state.update'])
      await expect(call(method, params)).rejects.toMatchObject({
        name: 'Refused',
        message: refusal.message,
        details: { status: refusal.status },
      });
  });

  test('reads the state of an interrupted subgraph', async () => {
    const { thread_id } = await run({ graph_id: 'parent', input: { topic: 'cats', ask: true } });
    const params = { graph_id: 'parent', config: configOf(thread_id), subgraphs: true };
    const state = await call<State>('state.get', params);
    expect(state).toMatchObject({
      next: ['child'],
      tasks: [{ name: 'child', state: { next: ['question'] } }],
    });
  });

  test('draws graphs and describes their subgraphs', async () => {
    const graph_id = 'parent';
    const drawing = await call<{ nodes: { id: string }[]; edges: object[] }>('graph.draw', {
      graph_id,
      xray: false,
      config: {},
    });
    expect(drawing.nodes.map(({ id }) => id).sort()).toEqual([
      '__end__',
      '__start__',
      'after',
      'before',
      'child',
    ]);
    expect(drawing.edges).toContainEqual({ source: 'before', target: 'child' });
    const open = await call<typeof drawing>('graph.draw', { graph_id, xray: true, config: {} });
    expect(open.nodes.map(({ id }) => id)).toContain('child:question');
    const subgraphs = await call<object>('graph.subgraphs', { graph_id, recurse: true, config: {} });
    expect(Object.keys(subgraphs).sort()).toEqual(expect.arrayContaining(['child']));
    expect(await call('graph.subgraphs', { graph_id, namespace: 'nobody', config: {} })).toEqual({});
  });
});
