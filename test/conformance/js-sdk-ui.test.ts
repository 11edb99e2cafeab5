import { createContext, runInContext } from 'node:vm';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ESM, project } from '../support/agent-project.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { useApi } from '../support/use-api.ts';
import { clientOf, SDKS, type SdkClient } from './js-sdk-clients.ts';

const graph = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ said: Annotation<string>() });
export const graph = new StateGraph(State).addNode('say', () => ({ said: 'hi' })).addEdge(START, 'say');
`;
const components = `
import { useState } from 'react';
import { label } from 'the-page';
import { suffix } from './suffix.ts';
import './weather.css';
const Weather = ({ city }: { city: string }) => <p>{label}: {city}{suffix} {useState('!')[0]}</p>;
export default { weather: Weather };
`;
const folder = project({
  ...ESM,
  'src/agent.ts': graph,
  'src/ui.tsx': components,
  'src/suffix.ts': `export const suffix: string = ' today';`,
  'src/weather.css': `p { color: rebeccapurple }`,
  'graph.json': {
    graphs: { agent: './src/agent.ts:graph', 'bare-agent': './src/agent.ts:graph' },
    ui: { agent: './src/ui.tsx', 'side-"panel': './src/ui.tsx' },
    ui_config: { shared: ['the-page'] },
  },
});
const api = useApi({ config: join(folder, 'graph.json') });

/** The response of the SDK's `~ui` client, which its type omits. */
const htmlOf = (client: SdkClient, name: string, component: string): Promise<string> =>
  (client as unknown as { '~ui': { getComponent(a: string, b: string): Promise<string> } })[
    '~ui'
  ].getComponent(name, component);

const unescape = (html: string) =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));

const attribute = (html: string, tag: string, name: string): string =>
  unescape(new RegExp(`<${tag} [^>]*${name}="([^"]*)"`).exec(html)![1]!);

/** Loads and renders the fragment's component, as `LoadExternalComponent` does in a browser. Returns its props. */
async function show(html: string, rootId: string) {
  const fragment = html.replace('{{shadowRootId}}', rootId);
  const script = await fetch(`http:${attribute(fragment, 'script', 'src')}`);
  expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
  const children: object[] = [];
  const handed: unknown[][] = [];
  const jsx = (type: string, props: object) => ({ type, ...props });
  const lent: Record<string, object> = {
    react: { useState: (value: unknown) => [value] },
    'react/jsx-runtime': { jsx, jsxs: jsx },
    'the-page': { label: 'Weather' },
  };
  const page: Record<string | symbol, unknown> = {
    document: {
      createElement: () => ({}),
      getElementById: (id: string) =>
        id === rootId ? { shadowRoot: { appendChild: (child: object) => children.push(child) } } : null,
    },
    [Symbol.for('LGUI_REQUIRE')]: (name: string) => {
      if (!lent[name]) throw new Error(`The page does not lend ${name}`);
      return lent[name];
    },
    [Symbol.for('LGUI_EXT_STORE')]: { respond: (...args: unknown[]) => handed.push(args) },
  };
  const context = createContext(page);
  runInContext(await script.text(), context);
  runInContext(attribute(fragment, 'script', 'onload'), context);
  return { handed, children, fragment };
}

describe.each(SDKS)('langgraph-sdk %s ui', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api);

  test('a component is loaded and rendered as by LoadExternalComponent', async () => {
    const html = await htmlOf(client(), 'agent', 'weather');
    const { handed, children, fragment } = await show(html, 'child-shadow-1');
    expect(handed).toHaveLength(1);
    const [rootId, Weather, target] = handed[0] as [string, (props: object) => any, object];
    expect([rootId, target]).toEqual(['child-shadow-1', children[0]]);
    const element = Weather({ city: 'Lisbon' });
    expect(element).toMatchObject({ type: 'p', children: ['Weather', ': ', 'Lisbon', ' today', ' ', '!'] });
    const css = await fetch(`http:${attribute(fragment, 'link', 'href')}`);
    expect(css.headers.get('content-type')).toMatch(/^text\/css/);
    expect(await css.text()).toMatch(/p\{color:#639\}/);
  });

  test('an assistant has the components of its graph', async () => {
    const { assistant_id } = await client().assistants.create({ graphId: 'agent' });
    const { handed } = await show(await htmlOf(client(), assistant_id, 'weather'), 'r');
    expect(typeof handed[0]![1]).toBe('function');
  });

  test('a missing component is undefined, and its name is escaped', async () => {
    const name = `"'><script>{{shadowRootId}}</script>`;
    const html = await htmlOf(client(), 'side-"panel', name);
    expect(html.match(/<script/g)).toHaveLength(1);
    const { handed } = await show(html, 'r');
    expect(handed).toEqual([['r', undefined, {}]]);
  });
});

test('graphs without components return 404', async () => {
  for (const name of ['bare-agent', 'nothing', crypto.randomUUID()]) {
    expect(await api.post(`/ui/${name}`, { name: 'weather' })).toMatchObject({
      status: 404,
      json: { detail: expect.any(String) },
    });
  }
  expect((await api.get('/ui/agent/other.js')).status).toBe(404);
  expect((await api.post('/ui/agent', {})).status).toBe(422);
});

test('http.disable_ui disables the components', async () => {
  const without = project({
    ...ESM,
    'agent.ts': graph,
    'graph.json': {
      graphs: { agent: './agent.ts:graph' },
      ui: { agent: './not-even-there.tsx' },
      http: { disable_ui: true },
    },
  });
  const server = await startAgentServer({
    databaseUrl: api.databaseUrl,
    config: join(without, 'graph.json'),
  });
  const response = await fetch(`${server.url}/ui/agent`, { method: 'POST', body: '{"name":"weather"}' });
  expect([response.status, await response.json()]).toEqual([404, { detail: 'Not Found' }]);
  await server.end('SIGKILL');
});
