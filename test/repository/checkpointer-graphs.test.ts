import { expect, test } from '@jest/globals';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  type StateSnapshot,
} from '@langchain/langgraph';
import { randomUUID } from 'node:crypto';
import { useCheckpoints } from './checkpointer-fixture.ts';

const checkpoints = useCheckpoints();

type Durability = 'async' | 'sync' | 'exit';
const DURABILITIES: Durability[] = ['async', 'sync', 'exit'];

const list = () => Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] });
const State = Annotation.Root({ count: Annotation<number>(), log: list() });
type State = typeof State.State;

const step = (name: string) => () => ({ log: [name] });

const chain = new StateGraph(State)
  .addNode('a', () => ({ count: 1, log: ['a'] }))
  .addNode('b', ({ count }: State) => ({ count: count + 1, log: ['b'] }))
  .addNode('c', step('c'))
  .addEdge(START, 'a')
  .addEdge('a', 'b')
  .addEdge('b', 'c')
  .addEdge('c', END);

const parallel = new StateGraph(State)
  .addNode('split', () => ({ count: 2 }))
  .addNode('left', step('left'))
  .addNode('right', step('right'))
  .addNode('each', ({ count }: { count: number }) => ({ log: [`each ${count}`] }))
  .addNode('join', step('join'))
  .addEdge(START, 'split')
  .addEdge('split', 'left')
  .addEdge('split', 'right')
  .addConditionalEdges('right', () => [new Send('each', { count: 1 }), new Send('each', { count: 2 })])
  .addEdge(['left', 'each'], 'join')
  .addEdge('join', END);

const asking = new StateGraph(State)
  .addNode('ask', () => {
    const [first, second] = [interrupt('first?') as string, interrupt('second?') as string];
    return { log: [first, second] };
  })
  .addNode('beside', step('beside'))
  .addEdge(START, 'ask')
  .addEdge(START, 'beside')
  .addEdge('ask', END);

const inner = new StateGraph(State)
  .addNode('first', step('inner first'))
  .addNode('ask', () => ({ log: [interrupt('inner?') as string] }))
  .addEdge(START, 'first')
  .addEdge('first', 'ask')
  .addEdge('ask', END);
const outer = new StateGraph(State)
  .addNode('before', step('before'))
  .addNode('child', inner.compile())
  .addNode('after', step('after'))
  .addEdge(START, 'before')
  .addEdge('before', 'child')
  .addEdge('child', 'after')
  .addEdge('after', END);

const chat = new StateGraph(MessagesAnnotation)
  .addNode('reply', ({ messages }) => ({ messages: [new AIMessage(`${messages.length} so far`)] }))
  .addEdge(START, 'reply')
  .addEdge('reply', END);

const DeltaState = Annotation.Root({
  log: () =>
    new DeltaChannel<string[], string[]>((all, writes) => [...all, ...writes.flat()], {
      snapshotFrequency: 4,
    }),
  count: Annotation<number>(),
});
const delta = new StateGraph(DeltaState)
  .addNode('a', step('a'))
  .addNode('b', step('b'))
  .addNode('c', step('c'))
  .addEdge(START, 'a')
  .addEdge('a', 'b')
  .addEdge('b', 'c')
  .addEdge('c', END);

// Task ids are random: six are almost never in the order of their nodes.
const SIDES = ['one', 'two', 'three', 'four', 'five', 'six'];
const parallelDelta = new StateGraph(DeltaState).addNode(
  Object.fromEntries(SIDES.map((side) => [side, step(side)])),
);
for (const side of SIDES) parallelDelta.addEdge(START, side);

interface Graph {
  invoke(input: unknown, config: object): Promise<unknown>;
  getState(config: object, options?: object): Promise<StateSnapshot>;
  getStateHistory(config: object): AsyncIterable<StateSnapshot>;
  updateState(config: object, values: unknown, asNode?: string): Promise<unknown>;
}

interface Session {
  run(input: unknown, configurable?: object): Promise<unknown>;
  state(configurable?: object): Promise<StateSnapshot>;
  history(): Promise<StateSnapshot[]>;
  update(values: unknown, configurable?: object): Promise<unknown>;
}

type Compilable = { compile(options: { checkpointer: BaseCheckpointSaver }): unknown };

/** A thread of a graph; each of its runs uses the checkpointer that `nextSaver` returns. */
function session(
  builder: Compilable,
  threadId: string,
  durability: Durability,
  nextSaver: (kind: 'run' | 'other') => Promise<BaseCheckpointSaver>,
): Session {
  const compile = async (kind: 'run' | 'other') =>
    builder.compile({ checkpointer: await nextSaver(kind) }) as Graph;
  const config = (configurable: object = {}) => ({
    configurable: { thread_id: threadId, checkpoint_ns: '', ...configurable },
  });
  return {
    async run(input, configurable) {
      const graph = await compile('run');
      const output = await graph.invoke(input, { ...config(configurable), durability });
      // A run's final state in memory must equal what others read.
      const fromMemory = await graph.getState(config(), { subgraphs: true });
      const fromDatabase = await (await compile('other')).getState(config(), { subgraphs: true });
      expect(fromMemory).toEqual(fromDatabase);
      return output;
    },
    state: async (configurable) =>
      (await compile('other')).getState(config(configurable), { subgraphs: true }),
    async history() {
      const all: StateSnapshot[] = [];
      for await (const snapshot of (await compile('other')).getStateHistory(config())) all.push(snapshot);
      return all;
    },
    update: async (values, configurable) =>
      (await compile('other')).updateState(config(configurable), values),
  };
}

/** The comparable parts of a thread: everything except ids and times. */
function outline({ values, next, tasks, metadata }: StateSnapshot): object {
  return {
    values,
    next,
    step: metadata?.step,
    source: metadata?.source,
    tasks: tasks.map(({ name, interrupts, state, result }) => ({
      name,
      result,
      interrupts: interrupts.map(({ value }) => value as unknown),
      state: state && 'values' in state ? outline(state) : undefined,
    })),
  };
}

/** A run's output without its interrupts' ids. */
function withoutIds(output: unknown): unknown {
  const { __interrupt__: interrupts, ...values } = (output ?? {}) as { __interrupt__?: { value: unknown }[] };
  return { ...values, interrupts: interrupts?.map(({ value }) => value) };
}

/** Plays a script with the engine's in-memory saver and with ours; both must have the same state at each point. */
async function expectSameStory(
  builder: Compilable,
  durability: Durability,
  script: (session: Session) => Promise<void>,
) {
  const tell = async (
    nextSaver: (kind: 'run' | 'other') => Promise<BaseCheckpointSaver>,
    threadId: string,
  ) => {
    const story: unknown[] = [];
    const plain = session(builder, threadId, durability, nextSaver);
    const note = async (output: unknown) => {
      story.push({
        output: withoutIds(output),
        state: outline(await plain.state()),
        history: (await plain.history()).map(outline),
      });
      return output;
    };
    await script({
      ...plain,
      run: async (...args) => note(await plain.run(...args)),
      update: async (...args) => {
        await note((await plain.update(...args)) && undefined);
      },
    });
    return JSON.parse(JSON.stringify(story)) as unknown[];
  };
  const memory = new MemorySaver();
  const threadId = await checkpoints.newThread();
  const ours = (kind: 'run' | 'other') =>
    kind === 'run'
      ? checkpoints.startRun(threadId).then(({ saver }) => saver)
      : Promise.resolve(checkpoints.saver());
  const expected = await tell(async () => memory, randomUUID());
  expect(await tell(ours, threadId)).toEqual(expected);
  return expected;
}

for (const durability of DURABILITIES) {
  test(`several supersteps and runs (${durability})`, async () => {
    await expectSameStory(chain, durability, async ({ run }) => {
      await run({ count: 5 });
      await run({ log: ['again'] });
    });
  });

  test(`parallel nodes and sends (${durability})`, async () => {
    await expectSameStory(parallel, durability, async ({ run }) => {
      expect(await run({ log: [] })).toMatchObject({ log: ['left', 'right', 'each 1', 'each 2', 'join'] });
    });
  });

  test(`several interrupts in one node (${durability})`, async () => {
    await expectSameStory(asking, durability, async ({ run, state }) => {
      await run({ log: [] });
      expect(
        (await state()).tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value as unknown)),
      ).toEqual(['first?']);
      await run(new Command({ resume: '1' }));
      expect(await run(new Command({ resume: '2' }))).toMatchObject({ log: ['1', '2', 'beside'] });
    });
  });

  test(`a subgraph that interrupts (${durability})`, async () => {
    await expectSameStory(outer, durability, async ({ run }) => {
      await run({ log: [] });
      expect(await run(new Command({ resume: 'yes' }))).toMatchObject({
        log: ['before', 'before', 'inner first', 'yes', 'after'],
      });
      await run({ log: ['next'] });
    });
  });

  test(`a fork from an earlier checkpoint keeps the first branch (${durability})`, async () => {
    await expectSameStory(chain, durability, async ({ run, history, state }) => {
      await run({ count: 1 });
      await run({ log: ['second'] });
      const tip = (await state()).config.configurable!['checkpoint_id'] as string;
      const before = outline(await state({ checkpoint_id: tip }));
      const earlier = (await history())
        .slice(1)
        .map(({ config }) => config.configurable!['checkpoint_id'] as string);
      for (const checkpoint_id of earlier) {
        await run({ log: ['fork'], count: 50 }, { checkpoint_id });
        expect(outline(await state({ checkpoint_id: tip }))).toEqual(before);
      }
    });
  });

  test(`state updates between runs (${durability})`, async () => {
    await expectSameStory(chain, durability, async ({ run, update, history }) => {
      await run({ count: 1 });
      await update({ log: ['by hand'] });
      await run({ count: 7 });
      const { checkpoint_id } = (await history()).at(-1)!.config.configurable as { checkpoint_id: string };
      await update({ count: 3, log: ['back then'] }, { checkpoint_id });
      await run(null);
    });
  });

  test(`messages keep their classes (${durability})`, async () => {
    const threadId = await checkpoints.newThread();
    for (let turn = 0; turn < 3; turn++) {
      const { saver } = await checkpoints.startRun(threadId);
      const graph = chat.compile({ checkpointer: saver });
      const config = { configurable: { thread_id: threadId }, durability };
      await graph.invoke({ messages: [new HumanMessage({ content: 'hi', id: `human-${turn}` })] }, config);
    }
    const state = await chat
      .compile({ checkpointer: checkpoints.saver() })
      .getState({ configurable: { thread_id: threadId } });
    const { messages } = state.values as typeof MessagesAnnotation.State;
    expect(messages.map((message) => message.text)).toEqual([
      'hi',
      '1 so far',
      'hi',
      '3 so far',
      'hi',
      '5 so far',
    ]);
    expect(messages[0]).toBeInstanceOf(HumanMessage);
    expect(messages[1]).toBeInstanceOf(AIMessage);
  });

  test(`delta channels, over snapshots (${durability})`, async () => {
    await expectSameStory(delta, durability, async ({ run }) => {
      for (let turn = 0; turn < 5; turn++) await run({ log: [`turn ${turn}`] });
    });
  });
}

test.each(DURABILITIES)('delta channels that parallel nodes write (%s)', async (durability) => {
  await expectSameStory(parallelDelta, durability, async ({ run }) => {
    for (let turn = 0; turn < 5; turn++) await run({ log: [`turn ${turn}`] });
  });
});

test('replay from an earlier checkpoint', async () => {
  await expectSameStory(chain, 'async', async ({ run, history }) => {
    await run({ count: 1 });
    const earlier = (await history()).at(2)!;
    await run(null, { checkpoint_id: earlier.config.configurable!['checkpoint_id'] });
  });
});

test('states are not shared', async () => {
  const threadId = await checkpoints.newThread();
  const { saver } = await checkpoints.startRun(threadId);
  const graph = chain.compile({ checkpointer: saver });
  const config = { configurable: { thread_id: threadId } };
  await graph.invoke({ count: 1 }, config);
  ((await graph.getState(config)).values as State).log.push('mine');
  expect((await graph.getState(config)).values).toMatchObject({ log: ['a', 'b', 'c'] });
});
