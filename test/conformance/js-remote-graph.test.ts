import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HumanMessage } from '@langchain/core/messages';
import { Annotation, Command, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const remote = (graphId: string) => new RemoteGraph({ graphId, url: api.url });
const onThread = (thread_id = randomUUID() as string) => ({ configurable: { thread_id } });

async function collect(stream: AsyncIterable<unknown>): Promise<any[]> {
  const chunks: any[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe('RemoteGraph', () => {
  test('invoke returns the last values, with or without a thread', async () => {
    expect(await remote('steps').invoke({ steps: 2 })).toEqual({ steps: 2, done: [1, 2] });
    const config = onThread();
    expect(await remote('steps').invoke({ steps: 1 }, config)).toEqual({ steps: 1, done: [1] });
    expect(await remote('steps').invoke({ steps: 2 }, config)).toEqual({ steps: 2, done: [1, 2] });
  });

  test('messages are sent unchanged and returned as flat dicts', async () => {
    const input = { messages: [new HumanMessage({ id: 'h1', content: 'hi' })] };
    const { messages } = await remote('echo').invoke(input);
    expect(messages).toMatchObject([
      { type: 'human', id: 'h1', content: 'hi' },
      { type: 'ai', id: 'echo-h1', content: 'echo: hi' },
    ]);
  });

  test('configurable, context, tags and the recursion limit reach the graph', async () => {
    expect(await remote('factory').invoke({}, { configurable: { flavour: 'mint' } })).toEqual({
      flavour: 'mint',
      node: 'mint',
    });
    const context = { user_id: randomUUID(), greeting: 'Hey' };
    expect(await remote('stateful').invoke({}, { ...onThread(), context } as object)).toMatchObject({
      greeting: `Hey, ${context.user_id}`,
    });
    await expect(remote('steps').invoke({ steps: 9 }, { recursionLimit: 3 })).rejects.toThrow(
      'Recursion limit of 3',
    );
  });

  test('stream yields one mode plainly, several with their names', async () => {
    expect(await collect(await remote('steps').stream({ steps: 2 }, { streamMode: 'updates' }))).toEqual([
      { step: { done: [1] } },
      { step: { done: [2] } },
    ]);
    expect(await collect(await remote('steps').stream({ steps: 1 }))).toEqual([{ step: { done: [1] } }]);
    expect(
      await collect(await remote('steps').stream({ steps: 1 }, { streamMode: ['values', 'updates'] })),
    ).toEqual([
      ['values', { steps: 1, done: [] }],
      ['updates', { step: { done: [1] } }],
      ['values', { steps: 1, done: [1] }],
    ]);
    expect(
      await collect(await remote('tokens').stream({ events: 2 }, { streamMode: 'custom' })),
    ).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  test('stream of messages yields chunks with their node', async () => {
    const chunks = await collect(await remote('tokens').stream({ tokens: 2 }, { streamMode: 'messages' }));
    expect(chunks).toMatchObject([
      [{ type: 'AIMessageChunk', content: 't0' }, { langgraph_node: 'model' }],
      [{ type: 'AIMessageChunk', content: ' t1' }, { langgraph_node: 'model' }],
    ]);
  });

  test('stream with subgraphs yields the namespace of each chunk', async () => {
    const chunks = await collect(
      await remote('parent').stream({ topic: 'cats' }, { streamMode: 'updates', subgraphs: true }),
    );
    expect(
      chunks.map(([namespace, data]) => [
        namespace.map((part: string) => part.split(':')[0]),
        Object.keys(data),
      ]),
    ).toEqual([
      [[], ['before']],
      [['child', 'grandchild'], ['look']],
      [['child'], ['grandchild']],
      [['child'], ['question']],
      [[], ['child']],
      [[], ['after']],
    ]);
  });

  test('an interrupt is thrown; a command answers it', async () => {
    const config = onThread();
    const interrupts = [{ id: expect.any(String), value: { question: 'Publish?', draft: 'About cats' } }];
    await expect(remote('approval').invoke({ topic: 'cats' }, config)).rejects.toMatchObject({
      name: 'GraphInterrupt',
      interrupts,
    });
    expect(await remote('approval').invoke(new Command({ resume: 'yes' }), config)).toMatchObject({
      decision: 'yes',
      published: true,
    });
    const before = { ...onThread(), interruptBefore: ['review'] as string[] };
    await expect(remote('approval').invoke({ topic: 'x' }, before as object)).rejects.toMatchObject({
      name: 'GraphInterrupt',
      interrupts: [],
    });
  });

  test('a failure is thrown', async () => {
    await expect(remote('boom').invoke({ kind: 'type-error', message: 'bad type' })).rejects.toThrow(
      /TypeError.*bad type/,
    );
  });

  test('getState returns values, tasks and interrupts, also of subgraphs', async () => {
    const config = onThread();
    await remote('parent')
      .invoke({ topic: 'cats', ask: true }, config)
      .catch(() => {});
    const state: any = await remote('parent').getState(config);
    expect(state).toMatchObject({
      next: ['child'],
      values: { topic: 'cats' },
      config: {
        configurable: { ...config.configurable, checkpoint_ns: '', checkpoint_id: expect.any(String) },
      },
      parentConfig: { configurable: { checkpoint_id: expect.any(String) } },
      metadata: { source: 'loop', step: 1 },
      tasks: [{ name: 'child', interrupts: [{ value: { question: 'What about cats?' } }] }],
    });
    const inner = state.tasks[0].state;
    expect(inner.configurable.checkpoint_ns).toMatch(/^child:/);
    expect(await remote('parent').getState(inner)).toMatchObject({
      next: ['question'],
      values: { log: ['looked at cats'] },
    });
    const deep: any = await remote('parent').getState(config, { subgraphs: true });
    expect(deep.tasks[0].state).toMatchObject({ next: ['question'], tasks: [{ name: 'question' }] });
  });

  test('updateState writes and returns the checkpoint', async () => {
    const config = onThread();
    await remote('approval')
      .invoke({ topic: 'cats' }, config)
      .catch(() => {});
    const written = await remote('approval').updateState(config, { decision: 'ok' }, 'review');
    expect(written.configurable).toMatchObject({
      ...config.configurable,
      checkpoint_ns: '',
      checkpoint_id: expect.any(String),
    });
    expect(await remote('approval').getState(config)).toMatchObject({
      next: ['publish'],
      values: { decision: 'ok' },
    });
    expect(await remote('approval').invoke(null, config)).toMatchObject({ published: true });
  });

  test('getStateHistory is newest first, with limit, before and filter', async () => {
    const config = onThread();
    await remote('steps').invoke({ steps: 2 }, config);
    const history = async (options?: object) => collect(remote('steps').getStateHistory(config, options));
    const all = await history();
    expect(all.map(({ metadata }) => metadata.step)).toEqual([2, 1, 0, -1]);
    expect(await history({ limit: 1 })).toEqual(all.slice(0, 1));
    expect(await history({ before: all[1].config, limit: 10 })).toEqual(all.slice(2));
    expect(await history({ filter: { source: 'input' } })).toEqual(all.slice(3));
    expect(await remote('steps').getState(all[1].config)).toMatchObject({ values: { done: [1] } });
  });

  test('getGraphAsync and getSubgraphsAsync draw the graph', async () => {
    const { nodes } = await remote('parent').getGraphAsync({ xray: true });
    expect(Object.keys(nodes)).toEqual(expect.arrayContaining(['before', 'after', 'child:question']));
    const subgraphs = await collect(remote('parent').getSubgraphsAsync(undefined, true));
    expect(new Set(subgraphs.map(([namespace]) => namespace))).toEqual(
      new Set(['child', 'child|grandchild']),
    );
  });

  test('works as a node of a local graph', async () => {
    const State = Annotation.Root({
      steps: Annotation<number>(),
      done: Annotation<number[]>(),
      sum: Annotation<number>(),
    });
    const home = new StateGraph(State)
      .addNode('away', remote('steps') as never)
      .addNode('add', ({ done }) => ({ sum: done.reduce((total, step) => total + step, 0) }))
      .addEdge(START, 'away')
      .addEdge('away', 'add')
      .addEdge('add', END)
      .compile({ checkpointer: new MemorySaver() });
    expect(await home.invoke({ steps: 3 }, onThread())).toMatchObject({ done: [1, 2, 3], sum: 6 });
    const chunks = await collect(
      await home.stream({ steps: 1 }, { ...onThread(), streamMode: 'updates', subgraphs: true }),
    );
    expect(chunks.map(([namespace, data]) => [namespace.length, Object.keys(data)])).toEqual([
      [1, ['step']],
      [0, ['away']],
      [0, ['add']],
    ]);
  });

  test('its interrupt stops the local graph, which answers it with a command', async () => {
    const State = Annotation.Root({
      topic: Annotation<string>(),
      published: Annotation<boolean>(),
      answer: Annotation<unknown>(),
    });
    const thread_id = randomUUID();
    const away = async ({ topic, answer }: typeof State.State) => {
      const input = answer === undefined ? { topic } : new Command({ resume: answer });
      const { published } = await remote('approval').invoke(input, onThread(thread_id));
      return { published };
    };
    const home = new StateGraph(State)
      .addNode('away', away)
      .addEdge(START, 'away')
      .addEdge('away', END)
      .compile({ checkpointer: new MemorySaver() });
    const config = onThread();
    const stopped: any = await home.invoke({ topic: 'cats' }, config);
    expect(stopped.__interrupt__).toMatchObject([{ value: { question: 'Publish?' } }]);
    expect(await home.invoke(new Command({ update: { answer: 'yes' }, goto: 'away' }), config)).toMatchObject(
      { published: true },
    );
  });
});
