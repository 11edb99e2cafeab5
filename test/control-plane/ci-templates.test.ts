import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { packageRoot } from '../../src/platform/package-root.ts';
import { until } from '../support/until.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { startCommand, startSlipway } from '../support/slipway-command.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const at = (path: string) => fileURLToPath(new URL(path, packageRoot));
const read = async (path: string) => parse(await readFile(at(path), 'utf8'));
const SLIPWAY = `${process.execPath} ${at('dist/bin/slipway.js')}`;
const FLAG = /(?<=[ (])--[a-z-]+/g;

const plane = useControlPlane();
let key: string;
let api: Caller;
let folder: string;

beforeAll(async () => {
  key = await plane.key('deployer');
  api = new Caller(plane.url, { 'x-api-key': key });
  folder = await mkdtemp(join(tmpdir(), 'slipway-ci-'));
  await mkdir(join(folder, 'my agent'));
  await writeFile(join(folder, 'my agent/graph.json'), '{}');
  await writeFile(join(folder, 'a.env'), 'FROM_FILE=1');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const deploymentOf = async (name: string) =>
  (await api.get(`/v2/deployments?name=${name}`)).json.resources[0];
const help = async (command: string) => (await startSlipway([command, '--help'], {}).ended).stdout;

/** Runs a script like a CI runner. */
const bash = (script: string, env: Record<string, string>) =>
  startCommand('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], env, folder).ended;

describe('the GitHub Action', () => {
  interface Step {
    env: Record<string, string>;
    run: string;
  }
  interface Action {
    inputs: Record<string, { default?: string }>;
    outputs: Record<string, { value: string }>;
    runs: { using: string; steps: [Step] };
  }
  let action: Action;
  beforeAll(async () => {
    action = await read('deploy/ci/github/action.yml');
  });

  /** Runs the action's step with these inputs and GitHub's environment. */
  async function use(inputs: Record<string, string>, more: Record<string, string> = {}) {
    const all = { url: plane.url, 'api-key': key, command: SLIPWAY, ...inputs };
    const [{ env, run }] = action.runs.steps;
    const values = Object.entries(env).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/, (_, input: string) => {
        const { default: byDefault = '' } = action.inputs[input]!;
        return (all as Record<string, string>)[input] ?? byDefault;
      }),
    ]);
    const output = join(folder, 'github-output');
    await rm(output, { force: true });
    const github = {
      GITHUB_ACTIONS: 'true',
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: 'acme/agent',
      GITHUB_RUN_ID: '1',
      GITHUB_JOB: 'deploy',
      GITHUB_SHA: '0123456789abcdef',
    };
    const ended = await bash(run, { ...Object.fromEntries(values), ...github, ...more });
    const lines = (await readFile(output, 'utf8').catch(() => '')).trim().split('\n');
    return { ...ended, outputs: Object.fromEntries(lines.map((line) => line.split('='))) };
  }

  test('maps its inputs to existing options, and its outputs from the client', async () => {
    const [{ env, run }] = action.runs.steps;
    const used = Object.values(env).map((text) => /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(text)?.[1]);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
    const options = await help('deploy');
    const flags = run.match(FLAG)!;
    expect(flags.length).toBeGreaterThan(10);
    for (const flag of flags) expect(options).toContain(`${flag} `);
    for (const name of Object.keys(env)) if (name.startsWith('INPUT_')) expect(run).toContain(`$${name}`);
  });

  test('deploys a push, and a rerun changes nothing', async () => {
    const inputs = {
      name: 'pushed',
      folder: 'my agent',
      'env-file': 'a.env',
      env: 'GREETING=two words; $(exit 7)\nOTHER=1',
      secrets: 'TOKEN',
    };
    const { code, outputs, stderr } = await use(inputs, { TOKEN: 'hush' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('is deployed') });
    const { id, active_revision_id, secrets } = await deploymentOf('pushed');
    expect(outputs).toEqual({
      deployment_id: id,
      revision_id: active_revision_id,
      status: 'DEPLOYED',
      url: `${plane.url}/d/${id}`,
    });
    expect(new Set(Object.keys(action.outputs))).toEqual(new Set(Object.keys(outputs)));
    expect(secrets.map(({ name }: { name: string }) => name)).toEqual([
      'FROM_FILE',
      'GREETING',
      'OTHER',
      'TOKEN',
    ]);
    expect(await plane.driver.ask(active_revision_id)).toMatchObject({ greeting: 'two words; $(exit 7)' });
    expect((await use(inputs, { TOKEN: 'hush' })).outputs).toEqual(outputs);
    const { reason } = (await api.get(`/v2/deployments/${id}/revisions/${active_revision_id}`)).json;
    expect(reason).toBe('commit 0123456789ab of acme/agent, run 1');
  });

  test('fails with the revision, and creates and removes a preview', async () => {
    const failed = await use({ name: 'pushed', env: 'BUILD_FAILS=no such package', folder: 'my agent' });
    expect(failed.code).toBe(1);
    expect(failed.outputs).toMatchObject({ status: 'BUILD_FAILED' });
    const preview = { name: 'pushed', preview: 'pr-7', folder: 'my agent' };
    expect((await use({ ...preview, wait: 'false' })).code).toBe(0);
    expect(await deploymentOf('pushed-pr-7')).toMatchObject({ is_preview: true });
    expect((await use({ ...preview, delete: 'true' })).code).toBe(0);
    await until('it is gone', async () => (await deploymentOf('pushed-pr-7')) === undefined);
  });

  test('the example workflow uses existing inputs', async () => {
    const { jobs } = await read('deploy/ci/github/example-workflow.yml');
    const steps = Object.values(jobs as Record<string, { steps: { uses: string; with: object }[] }>).flatMap(
      (job) => job.steps.filter(({ uses }) => uses.includes('/deploy/ci/github@')),
    );
    expect(steps).toHaveLength(2);
    for (const step of steps)
      for (const input of Object.keys(step.with)) expect(action.inputs).toHaveProperty(input);
  });
});

test('the GitLab template deploys, previews and removes with existing options', async () => {
  const template = await read('deploy/ci/gitlab/slipway.gitlab-ci.yml');
  const script = (job: string) => (template[job].script as string[]).join('\n');
  const env = {
    SLIPWAY_URL: plane.url,
    SLIPWAY_API_KEY: key,
    SLIPWAY_COMMAND: SLIPWAY,
    SLIPWAY_NAME: 'gitlab',
    SLIPWAY_FOLDER: 'my agent',
    SLIPWAY_OPTIONS: '--secret TOKEN',
    TOKEN: 'hush',
    GITLAB_CI: 'true',
    CI_PROJECT_PATH: 'acme/agent',
    CI_PIPELINE_ID: '1',
    CI_JOB_NAME: 'slipway-deploy',
    CI_COMMIT_SHA: '0123456789abcdef',
    CI_MERGE_REQUEST_IID: '3',
  };
  const flags = [...`${script('slipway-deploy')} ${script('slipway-preview')}`.matchAll(FLAG)].map(
    ([flag]) => flag,
  );
  const options = await help('deploy');
  for (const flag of flags) expect(options).toContain(`${flag} `);

  expect((await bash(script('slipway-deploy'), env)).code).toBe(0);
  const { id, secrets } = await deploymentOf('gitlab');
  expect(secrets).toMatchObject([{ name: 'TOKEN' }]);
  expect(await readFile(join(folder, 'slipway.env'), 'utf8')).toContain(`url=${plane.url}/d/${id}\n`);
  expect((await bash(script('slipway-preview'), env)).code).toBe(0);
  expect(await deploymentOf('gitlab-mr-3')).toMatchObject({ is_preview: true });
  expect((await bash(script('slipway-preview-end'), env)).code).toBe(0);
  await until('it is gone', async () => (await deploymentOf('gitlab-mr-3')) === undefined);
});
