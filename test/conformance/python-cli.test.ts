import { beforeAll, expect, test } from '@jest/globals';
import { insertLines } from '../../src/control-plane/logs/log-repository.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';
import { type CliOptions, runCli } from './cli/run-cli.ts';
import { pythonEnvironment } from './python/environment.ts';

const requirements = new URL('cli/requirements.txt', import.meta.url);
const plane = useControlPlane();
const PROJECT = {
  'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
};
let api: Caller;
let cli: CliOptions;

beforeAll(async () => {
  const python = await pythonEnvironment(requirements);
  const key = await plane.key('deployer');
  api = new Caller(plane.url, { 'x-api-key': key });
  cli = { command: [python, '-m', 'langgraph_cli', 'deploy'], url: `${plane.url}/api-host`, key };
});

async function deployed(name: string) {
  const { json } = await api.post('/v2/deployments', {
    name,
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
    source_revision_config: { repo_ref: 'main' },
    secrets: [],
  });
  await api.until(`/v2/deployments/${json.id}`, (answer) => answer.json.active_revision_id !== null);
  return json as { id: string; latest_revision_id: string };
}

test('list shows each deployment with its address', async () => {
  const { id } = await deployed('listed');
  const { code, text } = await runCli(cli, ['list']);
  expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(`${id}.*listed.*/d/${id}`) });
});

test('list --name-contains filters by name', async () => {
  const { id } = await deployed('wanted');
  const { text } = await runCli(cli, ['list', '--name-contains', 'want']);
  expect(text).toContain(id);
  expect(text).not.toContain('listed');
});

test('revisions list shows the states, newest first', async () => {
  const { id, latest_revision_id: first } = await deployed('revised');
  const { json } = await api.patch(`/v2/deployments/${id}`, { source_revision_config: { repo_ref: 'two' } });
  const second = json.latest_revision_id;
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id === second);
  const { code, text } = await runCli(cli, ['revisions', 'list', id]);
  expect(code).toBe(0);
  expect(text).toContain('DEPLOYED');
  expect(text.indexOf(second)).toBeGreaterThan(0);
  expect(text.indexOf(second)).toBeLessThan(text.indexOf(first));
});

test('logs shows the output of a build and a revision, found by name, filtered by level and text', async () => {
  const { id } = await deployed('logged');
  const build = await runCli(cli, ['logs', '--name', 'logged', '--type', 'build']);
  expect(build.text).toMatch(/building main[\s\S]*deprecated[\s\S]*built/);
  const warnings = await runCli(cli, ['logs', '--name', 'logged', '--type', 'build', '--level', 'warning']);
  expect(warnings.text).toContain('deprecated');
  expect(warnings.text).not.toContain('built');
  const runtime = await runCli(cli, ['logs', '--deployment-id', id, '--query', 'answers at']);
  expect(runtime).toEqual({ code: 0, text: expect.stringContaining('answers at port') });
});

test('logs --follow shows each line once, including later ones', async () => {
  const { id, latest_revision_id } = await deployed('followed');
  const logLine = (message: string) =>
    insertLines(plane.deps.db, { deployment_id: id, id: latest_revision_id }, 'deploy', [
      { level: 'info', message, at: Date.now() },
    ]);
  await logLine('the first line');
  setTimeout(() => void logLine('the last line'), 3_000);
  const { text } = await runCli(cli, ['logs', '--deployment-id', id, '--follow'], {
    until: (so_far) => so_far.includes('the last line'),
  });
  expect(text.match(/the first line/g)).toHaveLength(1);
  expect(text.match(/the last line/g)).toHaveLength(1);
});

test('an existing image is deployed, and redeployed', async () => {
  const image = (digit: string) => `registry.example.com/agent@sha256:${digit.repeat(64)}`;
  for (const digit of ['a', 'b']) {
    const args = ['--image-uri', image(digit), '--name', 'an-image', '--no-input'];
    const { code, text } = await runCli(cli, args, { files: PROJECT });
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('/d/') });
  }
  const { json } = await api.get('/v2/deployments?name=an-image');
  expect(json.resources).toMatchObject([
    { source: 'external_container', source_revision_config: { image_uri: image('b') } },
  ]);
  expect((await api.get(`/v2/deployments/${json.resources[0].id}/revisions`)).json.resources).toHaveLength(2);
});

test('listeners list shows the data planes', async () => {
  const { json } = await api.post('/v2/listeners', { compute_type: 'k8s', compute_id: 'a-cluster' });
  const { code, text } = await runCli(cli, ['listeners', 'list']);
  expect(code).toBe(0);
  expect(text).toContain(json.id);
  await api.delete(`/v2/listeners/${json.id}`);
});

test('delete deletes', async () => {
  const { id } = await deployed('unwanted');
  const { code } = await runCli(cli, ['delete', id, '--force']);
  expect(code).toBe(0);
  await api.until(`/v2/deployments/${id}`, ({ status }) => status === 404);
});

test("errors show the server's message", async () => {
  const { code, text } = await runCli({ ...cli, key: 'slp_wrong' }, ['list']);
  expect(code).not.toBe(0);
  expect(text).toContain('A valid API key is needed');
});
