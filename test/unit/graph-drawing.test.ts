import { expect, test } from '@jest/globals';
import * as langgraph from '@langchain/langgraph';
import * as schemas from '@langchain/langgraph/zod/schema';
import { drawGraph, subgraphSchemas } from '../../src/graph-host/graphs/graph-drawing.ts';
import type { GraphEngine } from '../../src/graph-host/graphs/graph-engine.ts';
import { asGraph } from '../../src/graph-host/graphs/graph-instance.ts';
import { LoadedGraph } from '../../src/graph-host/graphs/loaded-graph.ts';
import { graph as fanout } from '../fixtures/graphs/src/fanout.ts';
import { makeGraph } from '../fixtures/graphs/src/factory.ts';
import functional from '../fixtures/graphs/src/functional.ts';
import { graph as parent } from '../fixtures/graphs/src/parent.ts';

const engine = { langgraph, schemas } as unknown as GraphEngine;

const load = (source: unknown): LoadedGraph => {
  const graph = typeof source === 'function' ? undefined : asGraph(source);
  return new LoadedGraph({
    graph_id: 'graph',
    engine,
    source: graph ?? (source as (config: object) => unknown),
    sample: graph,
    warn() {},
  });
};

const edge = (source: string, target: string) => ({ source, target });

test('draws a graph with its start, end and nodes', async () => {
  const { nodes, edges } = await drawGraph(load(parent), false);
  expect(nodes).toEqual([
    { id: '__start__', type: 'schema', data: '__start__' },
    { id: 'before', type: 'runnable', data: { id: ['langgraph', 'RunnableCallable'], name: 'before' } },
    {
      id: 'child',
      type: 'runnable',
      data: { id: ['langgraph', 'pregel', 'CompiledStateGraph'], name: 'child' },
    },
    { id: 'after', type: 'runnable', data: { id: ['langgraph', 'RunnableCallable'], name: 'after' } },
    { id: '__end__', type: 'schema', data: '__end__' },
  ]);
  expect(edges).toHaveLength(4);
  expect(edges).toEqual(
    expect.arrayContaining([
      edge('__start__', 'before'),
      edge('before', 'child'),
      edge('child', 'after'),
      edge('after', '__end__'),
    ]),
  );
});

test('x-ray expands subgraphs', async () => {
  const graph = load(parent);
  for (const xray of [true, 1, 99]) {
    const { nodes, edges } = await drawGraph(graph, xray);
    expect(nodes.map(({ id }) => id)).toEqual([
      '__start__',
      'before',
      'child:grandchild',
      'child:question',
      'after',
      '__end__',
    ]);
    expect(edges).toContainEqual(edge('child:grandchild', 'child:question'));
    expect(edges).toContainEqual(edge('before', 'child:grandchild'));
  }
});

test('conditional edges are marked', async () => {
  const { edges } = await drawGraph(load(fanout), false);
  expect(edges).toContainEqual({ source: '__start__', target: 'square', conditional: true });
});

test('a functional graph is drawn as its entry point', async () => {
  const { nodes, edges } = await drawGraph(load(functional), true);
  expect(nodes.map(({ id }) => id)).toEqual(['__start__', 'functional', '__end__']);
  expect(edges).toEqual([edge('__start__', 'functional'), edge('functional', '__end__')]);
});

test("a graph's drawing is cached; a factory's is made for each configuration", async () => {
  const graph = load(parent);
  expect(await drawGraph(graph, true)).toBe(await drawGraph(graph, true));
  const made = load(makeGraph);
  const names = async (flavour: string) =>
    (await drawGraph(made, false, { configurable: { flavour } })).nodes.map(({ id }) => id);
  expect(await names('mint')).toContain('mint');
  expect(await names('lime')).toContain('lime');
});

test.each([
  [{}, ['child']],
  [{ recurse: true }, ['child', 'child|grandchild']],
  [{ namespace: 'child' }, ['child']],
  [{ namespace: 'child:7612e61f', recurse: true }, ['child', 'child|grandchild']],
  [{ namespace: 'child|grandchild' }, ['child|grandchild']],
  [{ namespace: 'chi' }, []],
])('subgraphs by %j', async (options, namespaces) => {
  const found = await subgraphSchemas(load(parent), options);
  expect(Object.keys(found)).toEqual(namespaces);
  for (const schema of Object.values(found)) {
    expect(schema).toMatchObject({
      input_schema: { type: 'object', properties: { topic: {} } },
      config_schema: null,
    });
  }
});
