import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { list } from 'tar';
import { until } from '../support/until.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { type Ended, startSlipway } from '../support/slipway-command.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
let api: Caller;
let env: Record<string, string>;
let root: string;
let folders = 0;

beforeAll(async () => {
  env = { SLIPWAY_URL: plane.url, SLIPWAY_API_KEY: await plane.key('deployer') };
  api = new Caller(plane.url, { 'x-api-key': env['SLIPWAY_API_KEY']! });
  root = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const AGENT = { 'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}', 'agent.js': '' };

const slipway = (args: string[], more: Record<string, string> = {}): Promise<Ended> =>
  startSlipway(args, { ...env, ...more }, root).ended;

/** A project in a separate folder, from which it takes its name. */
async function project(files: Record<string, string> = {}): Promise<{ folder: string; name: string }> {
  const name = `agent-${++folders}`;
  const folder = join(root, name);
  for (const [path, text] of Object.entries({ ...AGENT, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { folder, name };
}

const deploymentOf = async (name: string) =>
  (await api.get(`/v2/deployments?name=${name}`)).json.resources[0];
const revisionsOf = async (name: string): Promise<{ id: string; status: string; reason: string }[]> =>
  (await api.get(`/v2/deployments/${(await deploymentOf(name)).id}/revisions`)).json.resources;
const result = ({ events }: Ended) => events.find(({ event }) => event === 'result')!;
const CI = { SLIPWAY_JOB_ID: 'job-1' };

describe('a folder', () => {
  test('is uploaded without ignored files, and deployed under its name', async () => {
    const { folder, name } = await project({
      'src/agent.ts': 'export {};',
      'src/kept.log': 'by the nearer .gitignore',
      'src/.gitignore': '!kept.log',
      'debug.log': 'no',
      '.gitignore': '*.log\nbuild/',
      'build/out.js': 'no',
      '.dockerignore': 'docs\n!docs/read.me',
      'docs/no.md': 'no',
      'docs/read.me': 'yes',
      '.env': 'TOKEN=no',
      'node_modules/x/index.js': 'no',
      '@odd.ts': 'yes',
    });
    await symlink('/etc/passwd', join(folder, 'src/link'));
    const outputs = join(root, 'outputs');
    const { code, stdout, stderr } = await slipway(['deploy', folder, '--outputs', outputs]);
    expect(stderr).toContain('links are left out, among them src/link');
    expect(stderr.match(/\.env is not uploaded; --env-file/g)).toHaveLength(1);
    const { id, source, source_config, active_revision_id } = await deploymentOf(name);
    expect({ code, stdout, source }).toEqual({
      code: 0,
      stdout: `${source_config.custom_url}\n`,
      source: 'internal_source',
    });
    expect(stderr).toMatch(
      / building .*\n +warning: one dependency is deprecated\n(.*\n)* +[\d.]+ s +DEPLOYED\n/,
    );
    expect(await readFile(outputs, 'utf8')).toBe(
      `deployment_id=${id}\nrevision_id=${active_revision_id}\nstatus=DEPLOYED\nurl=${source_config.custom_url}\n`,
    );
    const uploads = join(plane.deps.config.SLIPWAY_DATA_DIR, 'uploads', id);
    const [archive] = await readdir(uploads);
    const files: string[] = [];
    await list({ file: join(uploads, archive!), onReadEntry: ({ path }) => void files.push(path) });
    expect(files).toEqual([
      './.dockerignore',
      './.gitignore',
      './@odd.ts',
      './agent.js',
      './docs/read.me',
      './graph.json',
      './src/.gitignore',
      './src/agent.ts',
      './src/kept.log',
    ]);
  });

  test.each([
    [
      'with a Python graph that is not there',
      { 'graph.json': '{"graphs":{"a":"./b.py:c","installed":"pkg.agent:graph"}}' },
      'no such file: ./b.py',
    ],
    ['without a configuration', { 'graph.json': '{}' }, 'has no graphs'],
    [
      'with a graph that is not there',
      { 'graph.json': '{"graphs":{"a":"./b.js:c"}}' },
      'no such file: ./b.js',
    ],
    [
      'with a key that needs an image',
      { 'graph.json': '{"graphs":{"a":"./agent.js:g"},"base_image":"x"}' },
      'base_image',
    ],
    ['with a wrong key', { 'graph.json': '{"graphs":{"a":"./agent.js:g"},"http":1}' }, 'http must be'],
    ['with a graph in an ignore file', { '.gitignore': 'agent.js' }, './agent.js: is not uploaded'],
    [
      'with its configuration in an ignore file',
      { '.dockerignore': '*.json' },
      'graph.json: is not uploaded',
    ],
    [
      'with a graph outside the folder',
      { 'graph.json': '{"graphs":{"a":"../outside.js:g"}}', '../outside.js': '' },
      '../outside.js: is not uploaded',
    ],
    [
      'with an application that is not there',
      { 'graph.json': '{"graphs":{"a":"./agent.js:g"},"http":{"app":"./app.js:app"}}' },
      'http.app: no such file: ./app.js',
    ],
  ])('%s is refused, and no deployment is made', async (_what, files, why) => {
    const { folder, name } = await project(files);
    const { code, stderr } = await slipway(['deploy', folder]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    expect(await deploymentOf(name)).toBeUndefined();
  });

  test('replaces the environment with the given one, or else keeps it', async () => {
    const { folder, name } = await project({ 'prod.env': 'GREETING="from a file"\nOTHER=1' });
    const options = ['--env-file', join(folder, 'prod.env'), '--env', 'OTHER=a=b', '--secret', 'TOKEN'];
    expect((await slipway(['deploy', folder, ...options], { TOKEN: 'hush' })).code).toBe(0);
    const names = async () =>
      (await deploymentOf(name)).secrets.map((secret: { name: string }) => secret.name);
    expect(await names()).toEqual(['GREETING', 'OTHER', 'TOKEN']);
    const { active_revision_id: first } = await deploymentOf(name);
    expect(await plane.driver.ask(first)).toMatchObject({ greeting: 'from a file' });
    expect((await slipway(['deploy', folder, '--no-wait'])).code).toBe(0);
    expect(await names()).toEqual(['GREETING', 'OTHER', 'TOKEN']);
    expect((await slipway(['deploy', folder, '--env', 'ONLY=1'])).code).toBe(0);
    expect(await names()).toEqual(['ONLY']);
  });
});

describe('a rerun job', () => {
  test('finds the revision it created, from an upload or an image', async () => {
    const { folder, name } = await project();
    const [first, second] = [
      await slipway(['deploy', folder, '--json'], CI),
      await slipway(['deploy', folder, '--json'], CI),
    ];
    expect(result(second)).toMatchObject({ outcome: 'deployed', revision_id: result(first)['revision_id'] });
    expect(await revisionsOf(name)).toMatchObject([{ reason: 'deployed by job job-1' }]);
    const image = ['deploy', '--name', 'imaged', '--image', 'registry/agent@sha256:0', '--json'];
    const ids = [await slipway(image, CI), await slipway(image, CI)].map(
      (ended) => result(ended)['revision_id'],
    );
    expect(ids[0]).toBe(ids[1]);
    expect(await revisionsOf('imaged')).toHaveLength(1);
    // Another job creates another revision.
    await slipway([...image, '--no-wait'], { SLIPWAY_JOB_ID: 'job-2' });
    expect(await revisionsOf('imaged')).toHaveLength(2);
  });

  test('retries a failed revision once per run', async () => {
    const { folder, name } = await project();
    const args = ['deploy', folder, '--env', 'BUILD_FAILS=no such package: left-pad', '--no-logs'];
    const first = await slipway(args, CI);
    expect(first.code).toBe(1);
    expect(first.stderr).toContain('error: no such package: left-pad');
    expect(first.stderr).toMatch(/was not deployed: BUILD_FAILED: no such package: left-pad\n$/);
    await slipway(args, CI);
    await slipway(args, CI);
    expect((await revisionsOf(name)).map(({ status }) => status)).toEqual(Array(3).fill('BUILD_FAILED'));
  });
});

describe('the exit code', () => {
  test('is 3 for a skipped revision, 5 for one unfinished at the deadline', async () => {
    const { folder, name } = await project();
    const long = slipway(['deploy', folder, '--env', 'BUILD_UNTIL=all have come', '--deadline', '2s']);
    await until(
      'the first builds',
      async () => (await revisionsOf(name).catch(() => []))[0]?.status === 'BUILDING',
    );
    const skipped = slipway(['deploy', folder]);
    await until('the second waits', async () => (await revisionsOf(name)).length === 2);
    const newest = slipway(['deploy', folder, '--env', 'A=1']);
    await until('the newest waits', async () => {
      const revisions = await revisionsOf(name);
      return revisions.length === 3 && revisions[0]!.status === 'QUEUED';
    });
    expect((await long).code).toBe(5);
    expect((await long).stderr).toMatch(/is still [A-Z_]+ at the deadline; it goes on/);
    plane.builder.release('all have come');
    expect((await skipped).code).toBe(3);
    expect((await newest).code).toBe(0);
  });

  test('is 4 for a revision interrupted by command or by the end of the CI job', async () => {
    const { folder, name } = await project();
    const args = ['deploy', folder, '--env', 'BUILD_SECONDS=600'];
    const builds = () =>
      until('it builds', async () => (await revisionsOf(name).catch(() => []))[0]?.status === 'BUILDING');
    const running = slipway(args);
    await builds();
    const { id } = (await revisionsOf(name))[0]!;
    expect((await slipway(['interrupt', id, '--name', name])).code).toBe(0);
    expect((await running).code).toBe(4);
    const job = startSlipway(args, { ...env, ...CI }, root);
    await builds();
    job.child.kill('SIGTERM');
    expect((await job.ended).code).toBe(4);
    expect((await revisionsOf(name))[0]!.status).toBe('INTERRUPTED');
  });

  test('is 2 for errors that the caller must fix', async () => {
    const mistakes = [
      ['deploy', '--nonsense'],
      ['deploy', 'nowhere'],
      ['deploy', '--git', 'https://x/y.git', '--image', 'z'],
      ['deploy', '--name', 'x', '--env', 'NAME'],
      ['status', '--name', 'nobody'],
      ['status', '--name', 'nobody', '--api-key', 'nobody has this'],
    ];
    for (const { code, stderr } of await Promise.all(mistakes.map((args) => slipway(args))))
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^(slipway|error): /) });
  });
});

test('rollback and promote work without a build', async () => {
  const { folder, name } = await project();
  await slipway(['deploy', folder, '--env', 'GREETING=one']);
  await slipway(['deploy', folder, '--env', 'GREETING=two']);
  const built = plane.builder.built.length;
  const [second, first] = await revisionsOf(name);
  const greeting = async () =>
    (await plane.driver.ask((await deploymentOf(name)).active_revision_id))?.['greeting'];

  expect((await slipway(['rollback', '--name', name])).code).toBe(0);
  expect(await greeting()).toBe('one');
  expect((await revisionsOf(name))[0]).toMatchObject({ reason: 'redeploy of revision 1' });

  const { id } = await deploymentOf(name);
  const canaries = [{ revision_id: second!.id, percent: 10 }];
  await fetch(`${plane.url}/v2/deployments/${id}/traffic`, {
    method: 'PUT',
    headers: { 'x-api-key': env['SLIPWAY_API_KEY']!, 'content-type': 'application/json' },
    body: JSON.stringify({ canaries }),
  });
  expect((await slipway(['promote', second!.id, '--name', name])).code).toBe(0);
  expect(await greeting()).toBe('two');
  expect((await api.get(`/v2/deployments/${id}/traffic`)).json.canaries).toEqual([]);

  expect((await slipway(['rollback', '--name', id, '--to', first!.id])).code).toBe(0);
  expect(await greeting()).toBe('one');
  expect(plane.builder.built).toHaveLength(built);

  const status = await slipway(['status', '--name', name]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/DEPLOYED, serves\n/);
  expect(status.stdout).toMatch(/DEPLOYING +\d+\.\d s\n/);
  const [json] = (await slipway(['status', first!.id, '--name', name, '--json'])).events;
  expect(json).toMatchObject({
    event: 'status',
    revision: { id: first!.id },
    timeline: { created_by: 'a deployer' },
  });
  const logs = await slipway(['logs', first!.id, '--name', name, '--build', '--follow']);
  expect(logs.stdout).toMatch(/ warn  one dependency is deprecated\n.* info  built\n$/);
  expect((await slipway(['logs', '--name', name])).stdout).toMatch(/info  answers at port \d+\n$/);
});

test('a preview is a separate deployment, removed idempotently with one command', async () => {
  const { folder, name } = await project();
  expect((await slipway(['deploy', folder, '--preview', 'PR 12'])).code).toBe(0);
  expect(await deploymentOf(`${name}-pr-12`)).toMatchObject({ is_preview: true });
  const remove = ['delete', '--name', name, '--preview', 'pr-12'];
  expect((await slipway(remove)).code).toBe(0);
  await until('it is gone', async () => (await deploymentOf(`${name}-pr-12`)) === undefined);
  expect((await slipway(remove)).stderr).toContain(`There is no deployment ${name}-pr-12`);
});

test('a dry run reports build problems and uploads nothing', async () => {
  const { folder, name } = await project({
    'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}',
    'agent.js': 'throw new Error("no model is named")',
  });
  const { code, stderr } = await slipway(['deploy', folder, '--dry-run']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/2 files, .* would be uploaded\n(.*\n)*.*no model is named/);
  expect(await deploymentOf(name)).toBeUndefined();
});
