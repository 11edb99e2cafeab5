import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LINK } from '../control-plane/build-setting.ts';
import { until } from '../support/until.ts';
import { API_KEY, ask, type PlatformProcess, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { nodeEnvironment } from './cli/node-environment.ts';
import { type CliOptions, runCli, type Said } from './cli/run-cli.ts';
import { pythonEnvironment } from './python/environment.ts';

// Must run before the platform ends, because its agents outlive it.
afterAll(async () => {
  const { json } = await send('GET', '/v2/deployments');
  for (const { id } of json.resources) await send('DELETE', `/v2/deployments/${id}`);
  await until('nothing is left', async () => {
    const left = await send('GET', '/v2/deployments');
    return left.json.resources.length === 0;
  });
});

// A complete platform: real workflows, builds, processes and gateway. The clients are unmodified.
const platform = usePlatform({ settings: SWEEP_OFTEN });
const requirements = new URL('cli/requirements.txt', import.meta.url);
let started: PlatformProcess;
let python: CliOptions;
let js: CliOptions;

beforeAll(async () => {
  // Agents run as other users.
  await chmod(platform.dataDir, 0o711);
  // Without a public address, agents are reached at the platform's address.
  const starting = platform.start('platform', { SLIPWAY_PUBLIC_URL: '', SLIPWAY_DRAIN_SECONDS: '1' });
  const [interpreter, node] = await Promise.all([
    pythonEnvironment(requirements),
    nodeEnvironment('@langchain/langgraph-cli', '1.5.1'),
  ]);
  started = await starting;
  const url = started.url.replace('127.0.0.1', 'localhost');
  const program = join(node, 'node_modules/.bin/langgraphjs');
  python = { command: [interpreter, '-m', 'langgraph_cli', 'deploy'], url, key: API_KEY };
  js = { command: [process.execPath, program, 'deploy'], url: `${url}/api-host`, key: API_KEY };
});

const send = (method: string, path: string, body?: unknown) => ask(started.url, method, path, body);

/** A project whose agent answers this text and values from its environment. */
const project = (said: string): Record<string, string> => ({
  'package.json': JSON.stringify({ type: 'module' }),
  'langgraph.json': JSON.stringify({
    node_version: '20',
    graphs: { agent: './src/agent.js:graph' },
    env: '.env',
  }),
  'src/agent.js': `
    import { Annotation, START, StateGraph } from '@langchain/langgraph';
    const State = Annotation.Root({ said: Annotation() });
    const say = () => ({ said: ['${said}', process.env.GREETING, process.env.LANGSMITH_PROJECT ?? 'none'].join(' ') });
    export const graph = new StateGraph(State).addNode('say', say).addEdge(START, 'say').compile();
  `,
  // Clients reserve the last two names.
  '.env': 'GREETING=hello\nLANGSMITH_PROJECT=mine\nLANGSMITH_API_KEY=somebody-elses\n',
  '.dockerignore': '.env\n',
  // The deployment keeps its build command.
  'build.sh': '',
});
const broken = { ...project('never'), 'src/agent.js': "throw new Error('the model is not configured');" };

// Files that builds wait for; builds run as other users.
const folder = mkdtempSync(join(tmpdir(), 'slipway-shown-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

const deploy = (
  cli: CliOptions,
  args: string[],
  files: Record<string, string>,
  hears?: (text: string) => void,
): Promise<Said> => {
  const host = cli === js ? ['--host-url', cli.url] : [];
  const options = ['--remote', '--no-input', '--install-command', LINK, ...host, ...args];
  return runCli(cli, options, { files, patienceMs: 120_000, ...(hears && { hears }) });
};

/** The same, with a build that lasts until it has been shown: the client reports a build only while it is running. */
function deployShown(cli: CliOptions, args: string[], files: Record<string, string>): Promise<Said> {
  const shown = join(folder, randomUUID());
  // Clients refuse more complex commands.
  const build = `while [ ! -e ${shown} ]; do sleep 0.1; done`;
  const options = [...args, '--build-command', 'sh build.sh'];
  return deploy(cli, options, { ...files, 'build.sh': build }, (text) => {
    if (text.includes('Installing packages')) writeFileSync(shown, '');
  });
}

const events = ({ text }: Said): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function deploymentOf(name: string): Promise<{ id: string; revisions: string[]; url: string }> {
  const { json } = await send('GET', `/v2/deployments?name=${name}`);
  const [{ id, source_config }] = json.resources;
  const list = await send('GET', `/v2/deployments/${id}/revisions`);
  const revisions = list.json.resources.map(({ status }: { status: string }) => status);
  return { id, revisions, url: source_config.custom_url };
}

/** The answer of the agent at this address, over its own API. */
const says = async (url: string): Promise<string> =>
  (await ask(url, 'POST', '/runs/wait', { assistant_id: 'agent', input: {} }, {})).json.said;

// Runs both clients at once to save time.
test('deploys a project, prints its progress, and the agent answers at the printed URL', async () => {
  const [py, text] = await Promise.all([
    deployShown(python, ['--name', 'py', '--verbose', '--json'], project('one')),
    deploy(js, ['--name', 'js'], project('one')),
  ]);
  expect(py).toMatchObject({ code: 0 });
  const reported = events(py);
  const of = (event: string) => reported.filter((one) => one['event'] === event);
  const dropped = { event: 'note', message: 'Skipping reserved env var: LANGSMITH_PROJECT' };
  expect(of('note')).toContainEqual(dropped);
  expect(of('upload_progress').at(-1)).toMatchObject({ pct: 100 });
  expect(of('status_change')).toContainEqual(expect.objectContaining({ status: 'BUILDING' }));
  const logs = of('log').map(({ message }) => message);
  expect(logs).toContain(`Installing packages: ${LINK}`);
  expect(new Set(logs).size).toBe(logs.length);
  const { id, url } = await deploymentOf('py');
  expect(reported.at(-1)).toMatchObject({ event: 'result', status: 'succeeded', deployment_id: id, url });
  expect(await says(url)).toBe('one hello none');

  expect(text).toEqual({ code: 0, text: expect.stringContaining('Deployment successful!') });
  const printed = /URL: (http\S+)/.exec(text.text)![1]!;
  expect(printed).toBe((await deploymentOf('js')).url);
  expect(await says(printed)).toBe('one hello none');
});

test('deploys again without waiting, with build logs: a second revision takes over', async () => {
  const [py, node] = await Promise.all([
    deploy(python, ['--name', 'py', '--no-wait'], project('two')),
    deployShown(js, ['--name', 'js', '--verbose'], project('two')),
  ]);
  expect(py).toEqual({ code: 0, text: expect.stringContaining('Build triggered') });
  expect(node).toEqual({ code: 0, text: expect.stringContaining(`Installing packages: ${LINK}`) });
  for (const name of ['py', 'js']) {
    const isDeployed = async () => (await deploymentOf(name)).revisions.join() === 'DEPLOYED,DEPLOYED';
    await until('both were deployed', isDeployed);
    expect(await says((await deploymentOf(name)).url)).toBe('two hello none');
  }
});

test('a broken project exits with 1 and the last lines of the build; the active revision stays', async () => {
  const [py, node] = await Promise.all([
    deploy(python, ['--name', 'py'], broken),
    deploy(js, ['--name', 'js', '--json'], broken),
  ]);
  expect(py).toEqual({ code: 1, text: expect.stringContaining('the model is not configured') });
  expect(py.text).toContain('Last build log lines');
  expect(node).toEqual({ code: 1, text: expect.stringContaining('the model is not configured') });
  expect(events(node).at(-1)).toMatchObject({ event: 'result', status: 'failed' });
  for (const name of ['py', 'js']) {
    const { revisions, url } = await deploymentOf(name);
    expect(revisions).toEqual(['BUILD_FAILED', 'DEPLOYED', 'DEPLOYED']);
    expect(await says(url)).toBe('two hello none');
  }
});
