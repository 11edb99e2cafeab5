import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BUILDER, ESM, project } from '../support/agent-project.ts';
import { type AgentServer, FIXTURES } from '../support/agent-server.ts';
import { HOST_TOKEN, useHostContainers } from '../support/host-container.ts';
import { useHolds } from '../support/holds.ts';
import { hostsOf } from '../support/host-processes.ts';
import { pythonServer } from '../support/python-project.ts';
import { until } from '../support/until.ts';
import { clientOf, readTrace, useCluster } from './cluster.ts';
import { expectWentOn, readCut, untilKept } from './went-on.ts';

const holds = useHolds();
const startContainer = useHostContainers();
const cluster = useCluster();
const SETTINGS = { SLIPWAY_HOST_TOKEN: HOST_TOKEN, SLIPWAY_HOSTS: '1' };
const SNOOP = `${BUILDER}
export const graph = new StateGraph(State).addNode('look', () => {
  console.log('a line of ' + 'x'.repeat(200_000));
  console.error('and on standard error');
  return { said: JSON.stringify(process.env) };
}).addEdge(START, 'look').compile();`;
const projects = [
  { language: 'JavaScript', kind: 'unix', config: FIXTURES, env: {} },
  { language: 'Python', kind: 'tcp', ...(await pythonServer()) },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const statusOf = async ({ url }: AgentServer): Promise<number> => (await fetch(`${url}/ok`)).status;

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe.each(projects)('graph hosts in $language that connect over $kind', ({ kind, config, env }) => {
  const addressOf = async (): Promise<string> =>
    kind === 'unix' ? `unix:${join(cluster.folder, `${kind}.sock`)}` : `tcp:127.0.0.1:${await freePort()}`;

  test('runs continue after a host, and then its whole container, is killed', async () => {
    const address = await addressOf();
    const open = () => startContainer({ address, config, env });
    const container = open();
    const server = await cluster.start({
      config: '/nonexistent',
      env: { ...SETTINGS, SLIPWAY_HOST_LISTEN: address },
    });
    const client = clientOf(server);
    const { thread_id } = await client.threads.create();
    const file = join(cluster.folder, `killed-${kind}`);
    const { hold, release } = holds(5, 7);
    const run = await client.runs.create(thread_id, 'steps', { input: { steps: 8, file, hold } });
    await untilKept(client, thread_id, 4);

    process.kill(hostsOf(container)[0]!, 'SIGKILL');
    expect((await client.threads.get(thread_id)).status).toBe('busy');
    const first = await readCut(client, thread_id, file);
    release(5);
    await untilKept(client, thread_id, 6);
    expect((await readTrace(file)).map(({ what }) => what).slice(0, first.ended.length)).toEqual(first.ended);

    const [orphan] = hostsOf(container);
    await container.kill();
    await until('the server has noticed', async () => (await statusOf(server)) === 503);
    await until('the host has left', () => !isAlive(orphan!));
    // Reading a state needs a host, and there is none.
    const second = { file, ended: (await readTrace(file)).map(({ what }) => what), kept: 6 };
    release(7);
    const next = open();
    await client.runs.join(thread_id, run.run_id);
    await expectWentOn(second, 8);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('success');
    expect(await statusOf(server)).toBe(200);
    expect(server.logs()).toContain('lost the container of the graph hosts');

    const spare = open();
    await until('another container is refused', () =>
      spare.output().includes('The server is connected to another container'),
    );
    expect(hostsOf(spare)).toEqual([]);
    next.child.kill('SIGTERM');
    await next.ended;
    await until('the other one serves', () => hostsOf(spare).length > 0);
    await until('the API is well', async () => (await statusOf(server)) === 200);
    await server.end('SIGKILL');
    await until('hosts end with their server', () => hostsOf(spare).length === 0);
  });
});

test("a host's output is in the server's log, and its connection is hidden from it", async () => {
  const folder = project({
    ...ESM,
    'agent.ts': SNOOP,
    'graph.json': {
      graphs: { snoop: './agent.ts:graph' },
      env: { OWN: 'of the file' },
      webhooks: { headers: { 'x-key': '${{ env.LG_WEBHOOK_KEY }}' } },
    },
  });
  const address = `unix:${folder}/hosts.sock`;
  const LANGGRAPH_CONFIG = JSON.stringify({ snoop: { tags: ['of the container'] } });
  const env = {
    OTHER: 'of the container',
    DATABASE_URL: 'postgres://the-projects-own',
    LG_WEBHOOK_KEY: 'k',
    LANGGRAPH_CONFIG,
  };
  const container = startContainer({ address, config: folder, env });
  const server = await cluster.start({
    config: '/nonexistent',
    env: { ...SETTINGS, SLIPWAY_HOST_LISTEN: address },
  });
  const { values } = { values: await clientOf(server).runs.wait(null, 'snoop', { input: {} }) } as {
    values: { said: string };
  };
  const seen = JSON.parse(values.said) as Record<string, string>;
  expect(seen).toMatchObject({ ...env, OWN: 'of the file' });
  expect(Object.keys(seen).filter((name) => /^SLIPWAY_(?!LOG_LEVEL)|^TEMPORAL|^TEST_/.test(name))).toEqual(
    [],
  );
  const [assistant] = await clientOf(server).assistants.search();
  expect(assistant).toMatchObject({ graph_id: 'snoop', config: { tags: ['of the container'] } });
  await until('its lines arrive', () => server.logs().includes('and on standard error'));
  expect(server.logs()).toContain(`a line of ${'x'.repeat(200_000)}\n`);
  expect(container.output()).not.toContain('a line of');
  await server.end();
});

test('serve acts as slipway host where an address is set; health probes follow the connection', async () => {
  const files = {
    ...ESM,
    'agent.ts': `${BUILDER}
export const graph = new StateGraph(State).addNode('say', () => ({ said: import.meta.url }))
  .addEdge(START, 'say').compile();`,
    'graph.json': { graphs: { agent: './agent.ts:graph' } },
  };
  const [first, second] = [project(files), project(files)];
  const [port, health] = [await freePort(), await freePort()];
  const address = `tcp:127.0.0.1:${port}`;
  const env = { SLIPWAY_HOST_HEALTH: `tcp:127.0.0.1:${health}` };
  const probe = async () => (await fetch(`http://127.0.0.1:${health}/ok`).catch(() => undefined))?.status;
  const open = (config: string) => startContainer({ address, config, env, command: 'serve' });
  const container = open(first);
  await until('it is not connected yet', async () => (await probe()) === 503);
  const server = await cluster.start({
    config: '/nonexistent',
    env: { ...SETTINGS, SLIPWAY_HOST_LISTEN: address },
  });
  await until('it is connected', async () => (await probe()) === 200);
  const answer = async () =>
    ((await clientOf(server).runs.wait(null, 'agent', { input: {} })) as { said: string }).said;
  expect(await answer()).toContain(first);

  await container.kill();
  await until('the server notices', async () => (await statusOf(server)) === 503);
  expect((await fetch(`${server.url}/ok?check_hosts=false`)).status).toBe(200);
  // The same project in another folder.
  open(second);
  await until('the server is back', async () => (await statusOf(server)) === 200);
  expect(await answer()).toContain(second);
  await server.end('SIGKILL');
  await until('it is not connected any more', async () => (await probe()) === 503);
});
