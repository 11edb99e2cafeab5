import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';
import { nodeEnvironment } from './cli/node-environment.ts';
import { type CliOptions, runCli } from './cli/run-cli.ts';

const plane = useControlPlane();
let api: Caller;
let cli: CliOptions;
let id: string;
let revision: string;
// The client reads the address only from here.
const host = () => ['--host-url', cli.url];

beforeAll(async () => {
  const folder = await nodeEnvironment('@langchain/langgraph-cli', '1.5.1');
  const key = await plane.key('deployer');
  api = new Caller(plane.url, { 'x-api-key': key });
  const program = join(folder, 'node_modules/.bin/langgraphjs');
  cli = { command: [process.execPath, program, 'deploy'], url: `${plane.url}/api-host`, key };
  const { json } = await api.post('/v2/deployments', {
    name: 'agent',
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
    source_revision_config: { repo_ref: 'main' },
    secrets: [],
  });
  id = json.id;
  revision = json.latest_revision_id;
  await api.until(`/v2/deployments/${id}`, (answer) => answer.json.active_revision_id !== null);
});

test('list shows each deployment with its address', async () => {
  const { code, text } = await runCli(cli, ['list', ...host()]);
  expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(`${id}.*agent.*/d/${id}`) });
});

test('revisions list shows the states', async () => {
  const { code, text } = await runCli(cli, ['revisions', 'list', id, ...host()]);
  expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(`${revision}.*DEPLOYED`) });
});

test('logs shows the output of a build and a revision, found by name', async () => {
  const build = await runCli(cli, ['logs', '--name', 'agent', '--type', 'build', ...host()]);
  expect(build.text).toMatch(/building main[\s\S]*deprecated[\s\S]*built/);
  const ofBuild = ['logs', '--deployment-id', id, '--type', 'build'];
  const warnings = await runCli(cli, [...ofBuild, '--level', 'warning', ...host()]);
  expect(warnings.text).toContain('deprecated');
  expect(warnings.text).not.toContain('built');
  const runtime = await runCli(cli, ['logs', '--deployment-id', id, ...host()]);
  expect(runtime).toEqual({ code: 0, text: expect.stringContaining('answers at port') });
});

test('delete deletes', async () => {
  const { code } = await runCli(cli, ['delete', id, '--force', ...host()]);
  expect(code).toBe(0);
  await api.until(`/v2/deployments/${id}`, ({ status }) => status === 404);
});
