import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issueRegistryToken } from '../../src/control-plane/registry/registry-token.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { until } from '../support/until.ts';
import { buildAgentBase } from '../support/agent-base-image.ts';
import { openDockerEngine } from '../support/docker-engine.ts';
import { type PlatformContainer, startPlatformContainer } from '../support/platform-container.ts';
import { API_KEY, ask, SWEEP_OFTEN, usePlatform } from '../support/platform.ts';
import { nodeEnvironment } from './cli/node-environment.ts';
import { type CliOptions, runCli, type Said } from './cli/run-cli.ts';
import { pythonEnvironment } from './python/environment.ts';

// A complete platform in a container, with its agents in its network and a real engine, which it calls over TLS.
// Clients build and push with the engine, which pulls from the platform's registry with the platform's credentials.
const engine = await openDockerEngine();
const reason = 'reason' in engine ? engine.reason : undefined;
if (reason) console.warn(`Images of clients are not tested here: ${reason}`);
const check = reason ? test.skip : test;
const { docker, address, image } = 'reason' in engine ? ({} as never) : engine;

const TAG = '20';
const run = promisify(execFile);
let started: PlatformContainer;
let base: string;
let host: string;
let python: CliOptions;
let js: CliOptions;

// Must run before the platform ends, because its agents outlive it.
afterAll(async () => {
  if ('reason' in engine) return;
  const list = async () => (await send('GET', '/v2/deployments')).json.resources;
  for (const { id } of await list()) await send('DELETE', `/v2/deployments/${id}`);
  await until('nothing is left', async () => (await list()).length === 0);
  await started.stop();
});

const platform = usePlatform({ settings: SWEEP_OFTEN });
afterAll(async () => {
  if (!('reason' in engine)) await engine.stop();
});

beforeAll(async () => {
  if ('reason' in engine) return;
  await chmod(platform.dataDir, 0o711);
  const [interpreter, node] = await Promise.all([
    pythonEnvironment(new URL('cli/requirements.txt', import.meta.url)),
    nodeEnvironment('@langchain/langgraph-cli', '1.5.1'),
  ]);
  base = await buildAgentBase(engine, TAG);
  started = await startPlatformContainer(engine, platform, { SLIPWAY_DRAIN_SECONDS: '1' });
  const { url } = started;
  host = new URL(url).host;
  const program = join(node, 'node_modules/.bin/langgraphjs');
  python = { command: [interpreter, '-m', 'langgraph_cli', 'deploy'], url, key: API_KEY };
  js = { command: [process.execPath, program, 'deploy'], url: `${url}/api-host`, key: API_KEY };
}, 300_000);

const send = (method: string, path: string, body?: unknown) => ask(started.url, method, path, body);

const project = (said: string): Record<string, string> => ({
  'package.json': JSON.stringify({ type: 'module' }),
  'langgraph.json': JSON.stringify({ node_version: TAG, graphs: { agent: './agent.js:graph' }, env: '.env' }),
  'agent.js': `
    import { Annotation, START, StateGraph } from '@langchain/langgraph';
    const State = Annotation.Root({ said: Annotation() });
    const say = () => ({ said: ['${said}', process.env.GREETING].join(' ') });
    export const graph = new StateGraph(State).addNode('say', say).addEdge(START, 'say').compile();
  `,
  '.env': 'GREETING=hello\n',
  '.dockerignore': '.env\n',
});

const deploy = (cli: CliOptions, args: string[], files: Record<string, string>): Promise<Said> => {
  const options = ['--no-input', ...(cli === js ? ['--host-url', cli.url] : []), ...args];
  return runCli(cli, options, { files, env: { DOCKER_HOST: address }, patienceMs: 150_000 });
};

const deploymentOf = async (name: string) => {
  const { json } = await send('GET', `/v2/deployments?name=${name}`);
  return json.resources[0] as {
    id: string;
    source_config: { custom_url: string };
    active_revision_id: string;
  };
};

/** The serving agent's answer, over its own API. */
async function says(name: string): Promise<string> {
  const { source_config } = await deploymentOf(name);
  const body = { assistant_id: 'agent', input: {} };
  return (await ask(source_config.custom_url, 'POST', '/runs/wait', body)).json.said;
}

/** The engine's client, with a separate folder for its credentials. */
async function dockerAs(password: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const config = await mkdtemp(join(tmpdir(), 'slipway-docker-config-'));
  const auth = Buffer.from(`anybody:${password}`).toString('base64');
  await writeFile(join(config, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  try {
    const env = { ...process.env, DOCKER_HOST: address };
    const { stdout, stderr } = await run('docker', ['--config', config, ...args], { env });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  } finally {
    await rm(config, { recursive: true, force: true });
  }
}

check('both clients build on our image with the local engine, push with the token and deploy', async () => {
  const local = ['--no-remote', '--no-pull', '--verbose'];
  const [py, node] = await Promise.all([
    deploy(python, [...local, '--name', 'py', '--base-image', base], project('built')),
    deploy(js, [...local, '--name', 'js', '--base-image', `${base}:${TAG}`], project('built')),
  ]);
  expect(py).toEqual({ code: 0, text: expect.stringContaining('Deployment successful') });
  expect(node).toEqual({ code: 0, text: expect.stringContaining('Deployment successful') });
  for (const name of ['py', 'js']) {
    expect(await says(name)).toBe('built hello');
    const { id, active_revision_id } = await deploymentOf(name);
    const { json } = await send('GET', `/v2/deployments/${id}/revisions/${active_revision_id}`);
    const { image_uri } = json.source_revision_config;
    expect(image_uri).toMatch(new RegExp(`^${host}/d/${id}/${name}@sha256:[0-9a-f]{64}$`));
    const server = await docker.getContainer(`slipway-${active_revision_id}-0`).inspect();
    expect(server.Config.Image).toBe(image);
    expect(Object.keys(server.NetworkSettings.Networks)).toEqual([started.network]);
    const hosts = await docker.getContainer(`slipway-${active_revision_id}-0-host`).inspect();
    expect(hosts.Config.Image).toBe(image_uri);
    expect(hosts.Config.Env.filter((name) => /DATABASE_URL|TEMPORAL|GATEWAY/.test(name))).toEqual([]);
  }
});

check('an existing image is deployed unchanged; an engine that lost it pulls it again', async () => {
  const context = await mkdtemp(join(tmpdir(), 'slipway-context-'));
  const files = { ...project('ready'), Dockerfile: `FROM ${base}:${TAG}\nADD . /srv\nWORKDIR /srv\n` };
  for (const [name, text] of Object.entries(files)) await writeFile(join(context, name), text);
  const { code } = await dockerAs('', 'build', '-t', 'ready:1', context);
  expect(code).toBe(0);
  const py = await deploy(python, ['--name', 'ready', '--image', 'ready:1'], project('never'));
  expect(py).toEqual({ code: 0, text: expect.stringContaining('Deployment successful') });
  expect(await says('ready')).toBe('ready hello');

  const { id, active_revision_id: first } = await deploymentOf('ready');
  const { json } = await send('GET', `/v2/deployments/${id}/revisions/${first}`);
  const { image_uri } = json.source_revision_config;
  // The image no longer exists under this name.
  for (const name of [image_uri.replace(/@.*/, ':latest'), image_uri]) await dockerAs('', 'rmi', name);
  expect((await dockerAs('', 'image', 'inspect', image_uri)).code).toBe(1);
  const redeployed = await send('POST', `/v2/deployments/${id}/revisions/${first}/redeploy`);
  expect(redeployed.status).toBe(200);
  await until('the second serves', async () => (await deploymentOf('ready')).active_revision_id !== first);
  expect((await dockerAs('', 'image', 'inspect', image_uri)).code).toBe(0);
  expect(await says('ready')).toBe('ready hello');
  expect(image_uri).toContain(`${host}/d/${id}/ready@`);
  await rm(context, { recursive: true, force: true });
});

check('docker can push and pull only with a token of the repository', async () => {
  const make = async (name: string) => {
    const body = { name, source: 'internal_container', secrets: [] };
    return (await send('POST', '/v2/deployments', body)).json.id as string;
  };
  const [deployment_id, other] = [await make('pushed'), await make('other')];
  const { json: pushing } = await send('POST', `/v2/deployments/${deployment_id}/push-token`);
  const own = `${pushing.repository_url}:1`;
  const stranger = `${host}/d/${other}/stolen:1`;
  const context = await mkdtemp(join(tmpdir(), 'slipway-context-'));
  await writeFile(join(context, 'Dockerfile'), 'FROM scratch\nADD Dockerfile /\n');
  await dockerAs('', 'build', '-t', own, '-t', stranger, context);
  await rm(context, { recursive: true, force: true });

  const box = new SealedBox([platform.env['SLIPWAY_SECRET_KEY']!]);
  const token = (can: 'push' | 'pull', expires_at: number | null) =>
    issueRegistryToken(box, { deployment_id, can, expires_at });
  for (const [password, name, expected] of [
    [token('push', Date.now() - 1_000), own, /no basic auth|unauthorized|needed as the password/i],
    [API_KEY, own, /no basic auth|unauthorized|needed as the password/i],
    [pushing.token, stranger, /denied|another repository/i],
    [token('pull', null), own, /denied|for pulling/i],
  ] as const)
    expect(await dockerAs(password, 'push', name)).toEqual({
      code: 1,
      text: expect.stringMatching(expected),
    });

  const pushed = await dockerAs(pushing.token, 'push', own);
  expect(pushed.text).toMatch(/digest: sha256:/);
  const digest = /digest: (sha256:[0-9a-f]{64})/.exec(pushed.text)![1]!;
  const pinned = `${pushing.repository_url}@${digest}`;
  for (const name of [own, stranger]) await dockerAs('', 'rmi', name);
  const late = await dockerAs(token('pull', Date.now() - 1_000), 'pull', pinned);
  expect(late).toEqual({ code: 1, text: expect.stringMatching(/no basic auth|unauthorized|needed/i) });
  const strange = issueRegistryToken(box, { deployment_id: randomUUID(), can: 'pull', expires_at: null });
  expect(await dockerAs(strange, 'pull', pinned)).toEqual({
    code: 1,
    text: expect.stringMatching(/denied|another/i),
  });
  expect(await dockerAs(token('pull', null), 'pull', pinned)).toEqual({
    code: 0,
    text: expect.stringContaining(digest),
  });
});
