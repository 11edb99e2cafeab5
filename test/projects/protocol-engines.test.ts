import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { at, ESM, project } from '../support/agent-project.ts';

const AGENT = `
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';

const talk = (text: string) => async (_state: unknown, config: object) =>
  ({ messages: [await new FakeListChatModel({ responses: [text] }).invoke('go', config)] });
const weather = tool(() => 'Sunny', { name: 'weather', description: 'w', schema: z.object({}) });
const call = (id: string) => () =>
  ({ messages: [new AIMessage({ content: '', tool_calls: [{ id, name: 'weather', args: {} }] })] });

const child = new StateGraph(MessagesAnnotation)
  .addNode('inner', talk('in'))
  .addNode('call', call('call_1'))
  .addNode('tools', new ToolNode([weather]))
  .addEdge(START, 'inner').addEdge('inner', 'call').addEdge('call', 'tools').addEdge('tools', END)
  .compile();

export const nested = new StateGraph(MessagesAnnotation)
  .addNode('lead', talk('root'))
  .addNode('child', child)
  .addNode('call', call('call_2'))
  .addNode('tools', new ToolNode([weather]))
  .addEdge(START, 'lead').addEdge('lead', 'child').addEdge('child', 'call').addEdge('call', 'tools').addEdge('tools', END);

export const asking = new StateGraph(MessagesAnnotation)
  .addNode('lead', talk('root'))
  .addNode('ask', async (state, config) => {
    const answer = await talk('ask')(state, config);
    interrupt('sure?');
    return answer;
  })
  .addEdge(START, 'lead').addEdge('lead', 'ask').addEdge('ask', END);
`;

interface Draft {
  method: string;
  namespace: string[];
  node?: string;
  data: { event?: string; message?: string };
}

const engines = ['langgraph-1.0', 'langgraph-1.4', '@langchain/langgraph'].filter((name) =>
  existsSync(at(`node_modules/${name}`)),
);

describe.each(engines)('events of the protocol with %s', (engine) => {
  const folder = project(
    {
      ...ESM,
      'agent.ts': AGENT,
      'graph.json': { graphs: { nested: './agent.ts:nested', asking: './agent.ts:asking' } },
    },
    engine,
  );

  const runs = new Map<string, Promise<Draft[]>>();
  const streamed = (graph: string): Promise<Draft[]> => {
    const known = runs.get(graph) ?? stream(graph);
    runs.set(graph, known);
    return known;
  };

  async function stream(graph: string): Promise<Draft[]> {
    const input = JSON.stringify({ messages: [{ type: 'human', content: 'hi' }] });
    const probe = at('test/support/protocol-probe.ts');
    const args = ['--import', 'tsx', probe, folder, graph, input];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: at('.') });
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n'))) as Draft[];
  }

  const where = ({ namespace, node }: Draft) =>
    [...namespace.map((part) => part.split(':')[0]), `(${node})`].join('/');

  test('a message has the namespace of its graph, and finishes when its node ends', async () => {
    const drafts = await streamed('nested');
    const messages = drafts.filter(({ method }) => method === 'messages');
    const starts = messages.filter(({ data }) => data.event === 'message-start').map(where);
    expect(starts.slice(0, 2)).toEqual(['(lead)', 'child/(inner)']);
    expect(new Set(starts)).toEqual(
      new Set(['(lead)', 'child/(inner)', 'child/(call)', 'child/(tools)', '(call)', '(tools)']),
    );
    for (const node of ['lead', 'inner']) {
      const finish = drafts.findIndex((one) => one.data.event === 'message-finish' && one.node === node);
      const update = drafts.findIndex(
        ({ method, ...one }) =>
          method === 'tasks' && 'result' in one.data && (one.data as { name?: string }).name === node,
      );
      expect(finish).toBeGreaterThan(0);
      expect(update - finish).toBe(1);
    }
    expect(messages.some(({ data }) => data.event === 'error')).toBe(false);
  });

  // Engines before 1.1 emit no tool events.
  const tells = engine === 'langgraph-1.0' ? [] : ['tool-started', 'tool-finished'];

  test('a tool has the namespace of its graph', async () => {
    const tools = (await streamed('nested')).filter(({ method }) => method === 'tools');
    expect(tools.map(({ namespace, data }) => [namespace[0]?.split(':')[0], data.event])).toEqual(
      ['child', undefined].flatMap((graph) => tells.map((event) => [graph, event])),
    );
  });

  test('every namespace is that of a graph', async () => {
    const drafts = await streamed('nested');
    const namespaces = new Set(
      drafts.map(({ namespace }) => JSON.stringify(namespace.map((part) => part.split(':')[0]))),
    );
    expect(namespaces).toEqual(new Set(['[]', '["child"]']));
  });

  test('an interrupt cuts off no message, of an earlier node or of its own', async () => {
    const drafts = await streamed('asking');
    const messages = drafts.filter(({ method }) => method === 'messages');
    const ends = messages.filter(({ data }) => ['message-finish', 'error'].includes(data.event!));
    expect(ends.map(({ node, data }) => [node, data.event])).toEqual([
      ['lead', 'message-finish'],
      ['ask', 'message-finish'],
    ]);
    expect(drafts.at(-1)).toMatchObject({ method: 'lifecycle', data: { event: 'interrupted' } });
  });
});
