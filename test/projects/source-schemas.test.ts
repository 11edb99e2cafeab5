import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type ReadLimits, readSourceSchemas } from '../../src/graph-host/source-schemas/source-schemas.ts';
import { ESM, project } from '../support/agent-project.ts';

const GRAPH = `
import { Annotation, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import type { BaseMessage } from '@langchain/core/messages';
interface Tree { value: string; children: Tree[] }
export const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Where to look */
  city: Annotation<string>(),
  kind: Annotation<'weather' | 'other' | null>,
  on: Annotation<boolean | undefined>(),
  tags: Annotation<string[], string>({ reducer: (a, b) => [...a, b], default: () => [] }),
  flags: Annotation<Record<string, number>>(),
  when: Annotation<Date>(),
  tree: Annotation<Tree>(),
  seen: Annotation<Map<string, string>>(),
  thread: Annotation<BaseMessage[]>(),
  place: Annotation<{ name: string; height?: number; at(): void }>(),
});
const Context = Annotation.Root({ model: Annotation<'small' | 'large'>(), temperature: Annotation<number>() });
export const builder = new StateGraph(State, Context).addNode('n', () => ({})).addEdge(START, 'n');
export const graph = builder.compile();
export const make = async () => builder;
`;

// The default is a limit for servers; a machine that runs tests is busier.
const UNHURRIED = { timeoutSeconds: 120 };

const read = async (source: string, names = ['graph'], limits: ReadLimits = UNHURRIED) => {
  const file = join(project({ ...ESM, 'agent.ts': source }), 'agent.ts');
  return readSourceSchemas(
    names.map((name) => ({ graph_id: name, file, name })),
    limits,
  );
};

test('annotation types become schemas, however the graph is exported', async () => {
  const found = await read(GRAPH, ['graph', 'builder', 'make']);
  const { input, output, state, config } = found.get('graph')!;
  expect(state).toMatchObject({
    city: { type: 'string', description: 'Where to look' },
    kind: {
      anyOf: expect.arrayContaining([{ type: 'null' }, { type: 'string', enum: ['weather', 'other'] }]),
    },
    on: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    flags: { type: 'object', additionalProperties: { type: 'number' } },
    when: { type: 'string', format: 'date-time' },
    tree: { properties: { value: { type: 'string' }, children: { type: 'array' } } },
    seen: {},
    messages: { type: 'array', langgraph_type: 'messages' },
    thread: { type: 'array', langgraph_type: 'messages' },
  });
  expect(state!['place']).toEqual({
    type: 'object',
    properties: { name: { type: 'string' }, height: { type: 'number' } },
    required: ['name'],
  });
  expect(output).toEqual(state);
  // A reducer's input is its update.
  expect(input!['tags']).toEqual({ type: 'string' });
  expect(input!['messages']).toEqual(state!['messages']);
  expect(config).toEqual({
    model: { type: 'string', enum: ['small', 'large'] },
    temperature: { type: 'number' },
  });
  expect(found.get('builder')).toEqual(found.get('graph'));
  expect(found.get('make')).toEqual(found.get('graph'));
});

test('a graph without a context has no context schema', async () => {
  const found = await read(`
    import { Annotation, START, StateGraph } from '@langchain/langgraph';
    export const graph = new StateGraph(Annotation.Root({ city: Annotation<string>() }))
      .addNode('n', () => ({})).addEdge(START, 'n').compile();`);
  expect(Object.keys(found.get('graph')!).sort()).toEqual(['input', 'output', 'state']);
});

test('the types of subgraphs are read from the calls that add them', async () => {
  const nested = `
    import { Annotation, StateGraph } from '@langchain/langgraph';
    import { other } from './other.ts';
    const sub = (name: string) => name;
    const child = new StateGraph(Annotation.Root({ child: Annotation<'one' | 'two'>() }))
      .addNode('sub', () => ({})).addEdge('__start__', 'sub');
    const parent = new StateGraph(Annotation.Root({ parent: Annotation<number>() }));
    parent.addNode('inner', child.compile()).addNode('called', async () => (await other.invoke({}), sub('x')));
    const compiled = parent.compile();
    const whole = new StateGraph(Annotation.Root({ all: Annotation<boolean>() }))
      .addNode('plain', () => ({})).addNode('outer', compiled).addNode('loop', async (): Promise<object> => whole.compile().invoke({})).addEdge('__start__', 'plain');
    export { whole as renamed };
    export const graph = (async () => whole.compile())();`;
  const other = `
    import { Annotation, StateGraph } from '@langchain/langgraph';
    export const other = new StateGraph(Annotation.Root({ far: Annotation<string[]>() })).compile();`;
  const file = join(project({ ...ESM, 'agent.ts': nested, 'other.ts': other }), 'agent.ts');
  const names = ['graph', 'renamed'];
  const sources = names.map((name) => ({ graph_id: name, file, name }));
  const found = await readSourceSchemas(sources, UNHURRIED);
  const { state, subgraphs } = found.get('graph')!;
  expect(state).toEqual({ all: { type: 'boolean' } });
  expect(subgraphs).toMatchObject({
    outer: { state: { parent: { type: 'number' } } },
    'outer|inner': { state: { child: { type: 'string', enum: ['one', 'two'] } } },
    'outer|called': { state: { far: { type: 'array', items: { type: 'string' } } } },
  });
  expect(subgraphs).not.toHaveProperty('plain');
  expect(found.get('renamed')).toEqual(found.get('graph'));
});

const STATE_OF = (type: string, rest = '') => `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
${rest}
export const graph = new StateGraph(Annotation.Root({ ok: Annotation<string>(), poison: Annotation<${type}>() }))
  .addNode('n', () => ({})).addEdge(START, 'n').compile();`;

test.each([
  ['recursive', STATE_OF('Nest', 'interface Nest { a: Nest[]; b: Record<string, Nest> }')],
  [
    'endless',
    STATE_OF('Grow<[]>', 'interface Grow<T extends unknown[]> { next: Grow<[...T, 0]>; more: Grow<[T]> }'),
  ],
  [
    'wide',
    STATE_OF(`{ [K in \`\${Digit}\${Digit}\${Digit}\${Digit}\`]: K[] }`, 'type Digit = 0|1|2|3|4|5|6|7|8|9;'),
  ],
  [
    'not there',
    STATE_OF('Gone', "import type { Gone } from '/nowhere/else/at/all.ts'; import x from 'missing';"),
  ],
])('a type that is %s leaves the others alone', async (_name, source) => {
  const found = await read(source);
  expect(found.get('graph')?.state?.['ok']).toEqual({ type: 'string' });
  expect(JSON.stringify([...found]).length).toBeLessThan(1_000_000);
});

// TypeScript limits each type, but not how many of them there are.
const SLOW = STATE_OF(
  `[${Array.from({ length: 2_000 }, (_, index) => `Reversed<Words<'${index}'>>`).join()}]`,
  `type Digit = 0|1|2|3|4|5|6|7|8|9;
   type Words<T extends string> = \`\${T}\${Digit}\${Digit}\${Digit}\${Digit}\`;
   type Reversed<T> = T extends \`\${infer First}\${infer Rest}\` ? \`\${Reversed<Rest>}\${First}\` : '';`,
);

test('a source that exceeds time or memory limits yields no schemas', async () => {
  const startedAt = Date.now();
  expect((await read(SLOW, ['graph'], { timeoutSeconds: 4 })).size).toBe(0);
  expect((await read(SLOW, ['graph'], { heapMegabytes: 20 })).size).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(25_000);
}, 60_000);

test('missing sources and non-graphs are skipped, others are read', async () => {
  const found = await read(`${GRAPH} export const number = 1;`, ['absent', 'number', 'graph']);
  expect(found.get('absent') ?? {}).toEqual({});
  expect(found.get('number') ?? {}).toEqual({});
  expect(found.get('graph')).toHaveProperty('config');
});
