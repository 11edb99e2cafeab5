import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { BUILDER, ESM, load, project } from '../support/agent-project.ts';

test("each broken export has graph, file and reason; the error's location comes first, with newlines kept", async () => {
  const folder = project({
    ...ESM,
    'agent.ts': `${BUILDER}
      export const graph = says('x').compile();
      export const text = 'hello';
      export class Agent {}
      export const number = () => 5;
      export const unreachable = new StateGraph(State).addNode('say', () => ({}));
      export const rejected = Promise.reject(new Error('no model'));
      rejected.catch(() => {});`,
    'throws.ts': 'throw new TypeError("OPENAI_API_KEY\\nis not set");',
    'syntax.ts': 'export const graph = ;',
    'imports.js': 'export * from "./nowhere.js";',
    'graph.json': {
      graphs: {
        ok: './agent.ts:graph',
        missing: './nope.ts:graph',
        misspelt: './agent.ts:grap',
        text: './agent.ts:text',
        agent: './agent.ts:Agent',
        number: './agent.ts:number',
        unreachable: './agent.ts:unreachable',
        rejected: './agent.ts:rejected',
        throws: './throws.ts:graph',
        syntax: './syntax.ts:graph',
        imports: './imports.js:graph',
      },
    },
  });
  const { error = '' } = await load({ folder });
  const kinds = 'not a compiled graph, a graph builder or a function that returns one';
  const lines = error.split(/\n(?! )/);
  expect(lines).toHaveLength(10);
  [
    `graph.json: graphs.missing: no such file: ./nope.ts (${join(folder, 'nope.ts')})`,
    "graph.json: graphs.misspelt: ./agent.ts has no export 'grap'; it exports Agent, graph, number, rejected, text, unreachable",
    `graph.json: graphs.text: ./agent.ts: export 'text' is a string, ${kinds}`,
    `graph.json: graphs.agent: ./agent.ts: export 'Agent' is a class, ${kinds}`,
    `graph.json: graphs.number: ./agent.ts: export 'number' is a number, ${kinds}`,
    "graph.json: graphs.unreachable: ./agent.ts: export 'unreachable' does not compile: UnreachableNodeError: Node `say` is not reachable.",
    `graph.json: graphs.rejected: ./agent.ts: export 'rejected' failed: ${join(folder, 'agent.ts')}:12:46: Error: no model`,
    `graph.json: graphs.throws: ./throws.ts failed to load: ${join(folder, 'throws.ts')}:1:7: TypeError: OPENAI_API_KEY\n  is not set`,
    `graph.json: graphs.syntax: ./syntax.ts failed to load: TransformError: ${join(folder, 'syntax.ts')}:1:21: ERROR: Unexpected ";"`,
    'graph.json: graphs.imports: ./imports.js failed to load: ',
  ].forEach((start, index) => expect(lines[index]).toContain(start));
});

test('a project without the engine gets a hint what to install', async () => {
  const folder = project({
    ...ESM,
    'agent.js': 'export const graph = () => { throw new Error("late"); };',
    'graph.json': { graphs: { a: './agent.js:graph' } },
  });
  rmSync(join(folder, 'node_modules'), { recursive: true });
  const { error } = await load({ folder });
  expect(error).toContain('graphs.a: @langchain/langgraph is not installed in');
  expect(error).toContain('npm install @langchain/langgraph @langchain/core');
});
