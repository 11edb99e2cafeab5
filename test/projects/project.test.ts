import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { at, BUILDER, ESM, load, project } from '../support/agent-project.ts';

test('graphs load from TypeScript and JavaScript', async () => {
  const { graphs, warnings } = await load({
    folder: at('test/fixtures/graphs'),
    inputs: {
      echo: [{ text: 'hi' }],
      javascript: [{}],
      factory: [{}],
      functional: [{ value: 3 }, { value: 4 }],
      approval: [{ topic: 'x' }, { resume: 'yes' }],
    },
    configurable: { flavour: 'mint' },
  });
  expect(warnings).toEqual([]);
  expect(graphs['echo']).toMatchObject({
    description: 'Answers with what it is given',
    outputs: [{ echo: 'hi' }],
  });
  expect(graphs['javascript']?.outputs).toEqual([{ format: 'javascript' }]);
  expect(graphs['factory']).toMatchObject({ isFactory: true, outputs: [{ flavour: 'mint' }] });
  expect(graphs['functional']?.outputs).toEqual([
    { product: 6, runs: 1 },
    { product: 8, runs: 2 },
  ]);
  expect(graphs['approval']?.outputs[1]).toMatchObject({ published: true });
  for (const graph of Object.values(graphs)) expect(graph.ownEngine).toBe(true);
});

// Apart from the other fixtures: CommonJS loads the whole engine a second time, which every test server would pay for.
test('graphs load from CommonJS', async () => {
  const { graphs, warnings } = await load({
    folder: at('test/fixtures/module-formats'),
    inputs: { commonjs: [{}], commonjs_typescript: [{}] },
  });
  expect(warnings).toEqual([]);
  expect(graphs['commonjs']).toMatchObject({ ownEngine: true, outputs: [{ format: 'commonjs' }] });
  expect(graphs['commonjs_typescript']).toMatchObject({
    ownEngine: true,
    outputs: [{ format: 'commonjs typescript' }],
  });
});

test('a TypeScript project without "type": "module", with its own tsconfig paths', async () => {
  const folder = project({
    'package.json': {},
    'tsconfig.json': { compilerOptions: { paths: { '@lib/*': ['./lib/*'] } } },
    'lib/words.ts': 'export enum Word { Hello = "hello" }',
    'src/agent.ts': `import { Word } from '@lib/words';${BUILDER} export const graph = says(Word.Hello).compile(); export default graph;`,
    'langgraph.json': { graphs: { named: './src/agent.ts:graph', unnamed: './src/agent.ts' } },
  });
  const { graphs } = await load({ folder, inputs: { named: [{}], unnamed: [{}] } });
  const graph = { isFactory: false, outputs: [{ said: 'hello', count: 1 }], ownEngine: true };
  expect(graphs).toEqual({ named: graph, unnamed: graph });
});

test('an export can be a builder, a factory, a promise, a bound graph or an agent around one', async () => {
  const folder = project({
    ...ESM,
    'agent.ts': `${BUILDER}
      export const builder = says('builder');
      export const factory = (config: any) => says('factory ' + config.configurable.thread_id);
      export const promised = Promise.resolve(says('promised').compile());
      export const configured = says('configured').compile().withConfig({ recursionLimit: 3 });
      export const agent = { get graph() { return says('agent').compile(); }, get builder() { return {}; }, invoke() {} };
      export const node = (await import('@langchain/core/runnables')).RunnableBinding;
      export const bound = new node({ bound: says('bound').compile(), config: { tags: ['a'] } });`,
    'graph.json': {
      graphs: Object.fromEntries(
        ['builder', 'factory', 'promised', 'configured', 'agent', 'bound'].map((name) => [
          name,
          `./agent.ts:${name}`,
        ]),
      ),
    },
  });
  const names = ['builder', 'factory', 'promised', 'configured', 'agent', 'bound'];
  const { graphs } = await load({
    folder,
    inputs: Object.fromEntries(names.map((name) => [name, [{}, {}]])),
  });
  for (const name of names) {
    const said = name === 'factory' ? 'factory factory' : name;
    expect(graphs[name]?.outputs).toEqual([
      { said, count: 1 },
      { said, count: 2 },
    ]);
  }
});

test('a factory that needs a run is served without schemas; one that fails in a run fails that run', async () => {
  const folder = project({
    ...ESM,
    'agent.ts': `${BUILDER}
      export const graph = ({ configurable }: any) => {
        if (!configurable.thread_id) throw new Error('no thread');
        return says('made');
      };`,
    'graph.json': { graphs: { made: './agent.ts:graph' } },
  });
  const { graphs, warnings, inputs } = await load({ folder, inputs: { made: [{}] } });
  expect(warnings).toEqual([
    `graph 'made': its factory failed without a run, so it has no schemas: ${join(folder, 'agent.ts')}:8:44: Error: no thread`,
  ]);
  expect(graphs['made']?.outputs).toEqual([{ said: 'made', count: 1 }]);
  expect(inputs).toEqual({ made: null });
});

test("a graph's own checkpointer and store are replaced, with one warning", async () => {
  const folder = project({
    ...ESM,
    'agent.ts': `${BUILDER}
      import { InMemoryStore } from '@langchain/langgraph';
      const own = new MemorySaver();
      own.put = own.getTuple = async () => { throw new Error('the graph used its own'); };
      export const graph = says('mine').compile({ checkpointer: own, store: new InMemoryStore() });
      export const make = () => graph;
      export const never = says('never').compile({ checkpointer: false });
      export const inherits = says('inherits').compile({ checkpointer: true });`,
    'graph.json': {
      graphs: {
        a: './agent.ts:graph',
        b: './agent.ts:make',
        never: './agent.ts:never',
        inherits: './agent.ts:inherits',
      },
    },
  });
  const { graphs, warnings } = await load({
    folder,
    inputs: { a: [{}, {}], b: [{}, {}], never: [{}, {}], inherits: [{}, {}] },
  });
  expect(warnings.toSorted()).toEqual(
    ['a', 'b'].map(
      (id) => `graph '${id}' was compiled with its own checkpointer and store; the server's is used instead`,
    ),
  );
  for (const { outputs } of Object.values(graphs)) expect(outputs[1]).toMatchObject({ count: 2 });
});

test("the project's env is set when its modules load, and the process's own wins", async () => {
  const folder = project({
    ...ESM,
    '.env': 'GREETING=hello\nNAME=file\n',
    'agent.ts': `${BUILDER} export const graph = says(process.env.GREETING + ' ' + process.env.NAME).compile();`,
    'graph.json': { env: '.env', graphs: { a: './agent.ts:graph' } },
  });
  const { graphs } = await load({ folder, inputs: { a: [{}] } }, { NAME: 'process' });
  expect(graphs['a']?.outputs).toEqual([{ said: 'hello process', count: 1 }]);
});

// Installed under a separate name alongside the newest version.
const older = ['langgraph-1.0', 'langgraph-1.4'].filter((name) => existsSync(at(`node_modules/${name}`)));

test.each(['@langchain/langgraph', ...older])('an engine of another version: %s', async (engine) => {
  const folder = project(
    {
      ...ESM,
      'agent.ts': `${BUILDER}
        import { entrypoint, interrupt } from '@langchain/langgraph';
        import { z } from 'zod';
        const child = new StateGraph(State)
          .addNode('ask', () => ({ said: interrupt('what?') as string })).addEdge(START, 'ask').compile();
        export const graph = new StateGraph(State).addNode('child', child).addEdge(START, 'child');
        export const functional = entrypoint('double', async (value: number) => value * 2);
        export const typed = new StateGraph(z.object({ city: z.string() })).addNode('n', () => ({})).addEdge(START, 'n').compile();`,
      'agent.cjs': `const { Annotation, START, StateGraph } = require('@langchain/langgraph');
        exports.graph = new StateGraph(Annotation.Root({ said: Annotation() })).addNode('n', () => ({ said: 'cjs' })).addEdge(START, 'n');`,
      'graph.json': {
        graphs: {
          graph: './agent.ts:graph',
          functional: './agent.ts:functional',
          typed: './agent.ts:typed',
          cjs: './agent.cjs:graph',
        },
      },
    },
    engine,
  );
  const { graphs, inputs } = await load({
    folder,
    inputs: { graph: [{}, { resume: 'that' }], functional: [2, 3], typed: [{ city: 'Oslo' }], cjs: [{}] },
  });
  expect(graphs['graph']?.outputs).toEqual([
    { __interrupt__: [expect.objectContaining({ value: 'what?' })] },
    { said: 'that' },
  ]);
  expect(graphs['functional']?.outputs).toEqual([4, 6]);
  expect(graphs['typed']?.outputs).toEqual([{ city: 'Oslo' }]);
  expect(graphs['cjs']?.outputs).toEqual([{ said: 'cjs' }]);
  expect(inputs).toEqual({ graph: ['said', 'count'], functional: null, typed: ['city'], cjs: ['said'] });
  for (const graph of Object.values(graphs)) expect(graph.ownEngine).toBe(true);
});
