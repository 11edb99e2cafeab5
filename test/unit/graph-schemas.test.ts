import { expect, test } from '@jest/globals';
import type { BaseMessage } from '@langchain/core/messages';
import * as langgraph from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { registry } from '@langchain/langgraph/zod';
import * as schemas from '@langchain/langgraph/zod/schema';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { GraphEngine } from '../../src/graph-host/graphs/graph-engine.ts';
import { asGraph } from '../../src/graph-host/graphs/graph-instance.ts';
import { readSchemas } from '../../src/graph-host/graphs/graph-schemas.ts';
import { FakeChatModel } from '../../examples/src/fake-chat-model.ts';

const {
  Annotation,
  MessagesAnnotation,
  MessagesValue,
  MessagesZodMeta,
  MessagesZodState,
  START,
  StateGraph,
  StateSchema,
} = langgraph;
const engine = { langgraph, schemas } as unknown as GraphEngine;

/** Schemas of a one-node graph over this state. */
const schemasOf = (state: any, context?: any) =>
  readSchemas(
    asGraph(
      new StateGraph(state, context)
        .addNode('node', () => ({}))
        .addEdge(START, 'node')
        .compile(),
    ),
    engine,
  );

const messages = expect.objectContaining({
  type: 'array',
  items: expect.objectContaining({ title: 'Message' }),
  langgraph_type: 'messages',
});

test('an annotated state has an open schema for each channel', () => {
  const open = { type: 'object', properties: { city: {}, days: {} } };
  expect(schemasOf(Annotation.Root({ city: Annotation<string>(), days: Annotation<number>() }))).toEqual({
    input_schema: open,
    output_schema: open,
    state_schema: open,
    config_schema: null,
    context_schema: null,
  });
});

test.each([
  ['MessagesAnnotation', MessagesAnnotation],
  ['MessagesZodState', MessagesZodState],
  ['a StateSchema', new StateSchema({ messages: MessagesValue })],
  [
    'zod 4 with a registered field',
    z.object({ messages: z.custom<BaseMessage[]>().register(registry, MessagesZodMeta as never) }),
  ],
  [
    'a reducer of one’s own',
    Annotation.Root({
      messages: Annotation<BaseMessage[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
    }),
  ],
])('messages are told in %s', (_name, state) => {
  const { input_schema, output_schema, state_schema } = schemasOf(state);
  for (const schema of [input_schema, output_schema, state_schema])
    expect(schema?.['properties']).toEqual({ messages });
});

test('zod 4 has types, descriptions and defaults; the input requires nothing', () => {
  const { input_schema, state_schema } = schemasOf(
    z.object({ city: z.string().describe('Where'), days: z.number().default(1), tags: z.array(z.string()) }),
  );
  expect(state_schema).toMatchObject({
    type: 'object',
    properties: { city: { type: 'string', description: 'Where' }, days: { type: 'number', default: 1 } },
    required: expect.arrayContaining(['city', 'tags']),
  });
  expect(input_schema).toMatchObject({ properties: { tags: { type: 'array', items: { type: 'string' } } } });
  expect(input_schema).not.toHaveProperty('required');
});

test('zod 3 has types too', () => {
  const { state_schema } = schemasOf(z3.object({ city: z3.string(), days: z3.number().optional() }));
  expect(state_schema).toMatchObject({
    properties: { city: { type: 'string' }, days: { type: 'number' } },
    required: ['city'],
  });
});

test('a StateSchema has each field, without a `$schema`', () => {
  const state = new StateSchema({ city: z.string(), seen: z.date(), days: z.number().default(2) });
  expect(schemasOf(state).state_schema).toEqual({
    type: 'object',
    properties: { city: { type: 'string' }, seen: {}, days: { type: 'number', default: 2 } },
    required: ['city'],
  });
});

test('a field that JSON Schema cannot express stays open; others keep their types', () => {
  const { state_schema } = schemasOf(z.object({ city: z.string(), seen: z.date(), by: z.instanceof(Map) }));
  expect(state_schema).toMatchObject({
    properties: { city: { type: 'string' }, seen: {}, by: {} },
    required: ['city'],
  });
});

test('input, output and context have separate schemas', () => {
  const city = z.object({ city: z.string() });
  const graph = new StateGraph({
    state: city.extend({ forecast: z.string().optional() }),
    input: city,
    output: z.object({ forecast: z.string().optional() }),
    context: z.object({ unit: z.enum(['c', 'f']) }),
  });
  const found = readSchemas(
    asGraph(graph.addNode('look', () => ({ forecast: 'sun' })).addEdge(START, 'look')),
    engine,
  );
  expect(found.input_schema?.['properties']).toEqual({ city: { type: 'string' } });
  expect(found.output_schema?.['properties']).toEqual({ forecast: { type: 'string' } });
  expect(found.context_schema).toMatchObject({ properties: { unit: { enum: ['c', 'f'] } } });
  expect(found.config_schema).toEqual(found.context_schema);
});

test('a functional graph has no schemas', () => {
  const graph = asGraph(langgraph.entrypoint('double', async (value: number) => value * 2));
  expect(Object.values(readSchemas(graph, engine))).toEqual([null, null, null, null, null]);
});

test('a prebuilt agent takes messages', () => {
  const agent = createReactAgent({ llm: new FakeChatModel(), tools: [] });
  expect(readSchemas(asGraph(agent), engine).input_schema).toMatchObject({ properties: { messages } });
});

test('schemas are JSON', () => {
  const found = schemasOf(
    new StateSchema({ messages: MessagesValue, city: z.string() }),
    z.object({ unit: z.string() }),
  );
  expect(JSON.parse(JSON.stringify(found))).toEqual(found);
});
