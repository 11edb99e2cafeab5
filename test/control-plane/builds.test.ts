import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { takesLess } from '../support/takes-less.ts';
import { until } from '../support/until.ts';
import { LINK, PROJECT, useBuilds } from './build-setting.ts';

const builds = useBuilds();
const { dataDir, build, fetchOnly, repository } = builds;
const fails = (order: Parameters<typeof build>[0]) =>
  build(order).then(
    () => 'it was built',
    ({ name, message }: Error) => `${name}: ${message}`,
  );
const repo = repository(PROJECT);
const source_config = { repo_url: repo.url };

test('a commit becomes an artifact with the project, without history', async () => {
  const { artifact, repo_commit_sha, lines } = await build({ source_config });
  expect(artifact).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(repo_commit_sha).toBe(repo.sha);
  const folder = artifactFolder(dataDir, artifact);
  expect(readFileSync(join(folder, 'src/agent.ts'), 'utf8')).toBe(PROJECT['src/agent.ts']);
  expect(existsSync(join(folder, '.git'))).toBe(false);
  expect(statSync(join(folder, 'graph.json')).mode & 0o777).toBe(0o444);
  expect(lines).toContain("graph 'agent' loads");
  expect(readdirSync(join(dataDir, 'builds'))).toEqual([]);
});

test('the same commit has the same digest in every deployment', async () => {
  const [one, other] = await Promise.all([build({ source_config }), build({ source_config })]);
  expect(one.artifact).toBe(other.artifact);
});

test('content and executable bits determine the digest', async () => {
  const changed = repository({ ...PROJECT, 'README.md': 'hello' });
  const first = await build({ source_config: { repo_url: changed.url } });
  changed.git('update-index', '--chmod=+x', 'README.md');
  changed.git('commit', '--quiet', '--message', 'executable');
  const second = await build({ source_config: { repo_url: changed.url } });
  expect(second.artifact).not.toBe(first.artifact);
});

test('branches and tags are fetched by name', async () => {
  const many = repository(PROJECT);
  many.git('tag', 'v1');
  many.git('checkout', '--quiet', '-b', 'feature/next');
  const next = many.commit({ 'src/more.ts': 'export {};' });
  const at = async (repo_ref?: string) =>
    (await build({ source_config: { repo_url: many.url }, source_revision_config: { repo_ref } }))
      .repo_commit_sha;
  expect(await at('refs/tags/v1')).toBe(many.sha);
  expect(await at('feature/next')).toBe(next);
  expect(await at('main')).toBe(many.sha);
});

test('the pushed commit is fetched even if the branch has moved', async () => {
  const moving = repository(PROJECT);
  const later = moving.commit({ 'src/more.ts': 'export {};' });
  const at = async (commit: string, repo_ref = 'main') =>
    (await fetchOnly(moving.url, { commit, repo_ref })).commit;
  expect(await at(moving.sha)).toBe(moving.sha);
  expect(await at(later)).toBe(later);
  // A commit on no branch, like the head of a pull request from a fork.
  moving.git('checkout', '--quiet', '-b', 'aside');
  const head = moving.commit({ 'src/aside.ts': 'export {};' });
  moving.git('update-ref', 'refs/pull/7/head', head);
  moving.git('checkout', '--quiet', 'main');
  moving.git('branch', '--quiet', '-D', 'aside');
  expect(await at(head, 'refs/pull/7/head')).toBe(head);
  await expect(at('0123456789'.repeat(4))).rejects.toThrow('is no longer in refs/heads/main');
  await expect(at('--upload-pack=x')).rejects.toThrow('is not a commit id');
});

test.each([
  ['nowhere', 'there is no such branch or tag'],
  ['--upload-pack=touch /tmp/x', 'is not a branch or a tag'],
  ['main:refs/heads/x', 'is not a branch or a tag'],
  ['refs/tags/../heads/main', 'is not a branch or a tag'],
])('the ref %s is refused', async (repo_ref, why) => {
  expect(await fails({ source_config, source_revision_config: { repo_ref } })).toContain(why);
});

test.each([
  ['ext::sh -c "touch /tmp/x"', 'is not the URL'],
  ['--upload-pack=x', 'is not the URL'],
  ['git://example.com/x', 'git is not allowed'],
  ['https://ada:secret@example.com/x', 'put it into the secret GIT_TOKEN'],
])('the address %s is refused', async (repo_url, why) => {
  expect(await fails({ source_config: { repo_url } })).toContain(why);
});

test('file URLs and private addresses are fetched only if settings allow it', async () => {
  const settings = { SLIPWAY_GIT_PROTOCOLS: 'https,ssh' };
  expect(await fails({ source_config, settings })).toContain('file is not allowed');
  expect(
    await fails({
      source_config: { repo_url: 'https://127.0.0.1/x' },
      settings: { SLIPWAY_GIT_PRIVATE_ADDRESSES: false },
    }),
  ).toContain('leads to a private address');
});

test('the fetch runs no hooks or other programs of the repository', async () => {
  const hostile = repository({
    ...PROJECT,
    '.gitattributes': '* filter=evil',
    '.gitmodules': '[submodule "x"]\n',
  });
  hostile.git('config', 'uploadpack.packObjectsHook', 'touch ran');
  await build({ source_config: { repo_url: hostile.url } });
  expect(existsSync(join(hostile.folder, 'ran'))).toBe(false);
});

test('the config file is found by default or by name', async () => {
  const nested = repository({
    'package.json': PROJECT['package.json']!,
    'agents/one/langgraph.json': JSON.stringify({ graphs: { agent: './agent.ts:graph' } }),
    'agents/one/agent.ts': PROJECT['src/agent.ts']!,
  });
  const at = { source_config: { repo_url: nested.url } };
  const named = { ...at, source_revision_config: { graph_config_path: 'agents/one/langgraph.json' } };
  expect((await build(named)).lines).toContain("graph 'agent' loads");
  expect(await fails(at)).toContain('There is no graph.json and no langgraph.json');
  for (const graph_config_path of ['../x.json', '/etc/passwd'])
    expect(await fails({ ...at, source_revision_config: { graph_config_path } })).toContain('is not within');
});

test('the install command runs at the root, the build command next to the config file', async () => {
  const nested = repository({
    'agent/graph.json': PROJECT['graph.json']!.replace('./src/', './'),
    'agent/package.json': PROJECT['package.json']!,
    'agent/agent.ts': PROJECT['src/agent.ts']!,
  });
  const { artifact } = await build({
    source_config: {
      repo_url: nested.url,
      install_command: `${LINK} && touch installed`,
      build_command: 'touch built',
    },
    source_revision_config: { graph_config_path: 'agent/graph.json' },
  });
  const folder = artifactFolder(dataDir, artifact);
  expect([existsSync(join(folder, 'installed')), existsSync(join(folder, 'agent/built'))]).toEqual([
    true,
    true,
  ]);
});

test('a build records whether its final config has authentication', async () => {
  const config = { graphs: { agent: './src/agent.ts:graph' }, auth: { path: './src/auth.ts:auth' } };
  const auth = "export const auth = { '~handlerCache': { authenticate: () => 'ada' } };";
  const guarded = repository({ ...PROJECT, 'graph.json': JSON.stringify(config), 'src/auth.ts': auth });
  const from = (url: string, build_command?: string) =>
    build({ source_config: { repo_url: url, build_command } });
  expect((await from(guarded.url)).own_auth).toBe(true);
  expect((await from(repo.url)).own_auth).toBe(false);
  expect((await from(guarded.url, `sed -i 's/"auth"/"no_auth"/' graph.json`)).own_auth).toBe(false);
});

test('a failing command is reported with its last output', async () => {
  const failing = { ...source_config, install_command: 'echo no such package >&2; exit 3' };
  expect(await fails({ source_config: failing })).toBe(
    'BuildFailed: Installing packages ended with code 3\nno such package',
  );
});

test("a graph that does not load fails the build, with a reason that hides this machine's paths", async () => {
  const broken = repository({ ...PROJECT, 'src/agent.ts': 'export const other = 1;' });
  const message = await fails({ source_config: { repo_url: broken.url } });
  expect(message).toContain("src/agent.ts has no export 'graph'; it exports other");
  expect(message).not.toContain(dataDir);
});

test.each([
  ['dockerfile_lines', ['RUN apt-get install -y ffmpeg']],
  ['base_image', 'example.com/base:1'],
  ['docker_compose_file', './compose.yml'],
])('%s, which only an image of its own can honour, is refused in words', async (key, value) => {
  const config = JSON.parse(PROJECT['graph.json']!) as object;
  const with_ = (it: unknown) => ({ ...PROJECT, 'graph.json': JSON.stringify({ ...config, [key]: it }) });
  const order = { source_config: { repo_url: repository(with_(value)).url } };
  expect(await fails(order)).toMatch(
    new RegExp(`graph.json: ${key} is not supported .*slipway deploy --image`),
  );
});

test("a build gets the revision's variables, not the platform's, and the log masks them", async () => {
  process.env['DATABASE_PASSWORD_OF_THE_PLATFORM'] = 'x';
  const { lines } = await build({
    source_config: { ...source_config, install_command: `${LINK} && env` },
    environment: { MODEL_KEY: 'sk-very-secret', GIT_TOKEN: 'ghp-token-of-ada' },
  });
  const output = lines.join('\n');
  expect(output).toContain('MODEL_KEY=***');
  expect(output).not.toMatch(/DATABASE|sk-very|GIT_TOKEN|ghp-/);
});

/** Processes of this machine whose command line contains or equals the text. */
const running = (text: string, { alone = false } = {}): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return false;
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return alone ? line === text : line.includes(text);
    } catch {
      return false;
    }
  });

test('an interrupted build leaves no processes', () =>
  takesLess(5_000, async () => {
    const controller = new AbortController();
    const tag = `8${process.pid}.${Date.now() % 100_000}`;
    const install_command = `sleep ${tag}1 & setsid sleep ${tag}2 & (trap '' TERM INT HUP; nohup setsid sh -c "sleep ${tag}3; true" >/dev/null 2>&1 &) ; wait`;
    const outcome = build({
      source_config: { ...source_config, install_command },
      signal: controller.signal,
    }).catch((error: Error) => error.message);
    await until('all of it runs', () =>
      [1, 2, 3].every((number) => running(`sleep ${tag}${number}`, { alone: true }).length > 0),
    );
    const began = Date.now();
    controller.abort(new Error('interrupted'));
    expect(await outcome).toBe('interrupted');
    const took = Date.now() - began;
    expect(running(`sleep ${tag}`)).toEqual([]);
    expect(readdirSync(join(dataDir, 'builds'))).toEqual([]);
    return took;
  }));

test("a command's background processes end with it", async () => {
  const tag = `9${process.pid}.${Date.now() % 100_000}`;
  await build({ source_config: { ...source_config, install_command: `${LINK} && (setsid sleep ${tag} &)` } });
  expect(running(`sleep ${tag}`)).toEqual([]);
});
