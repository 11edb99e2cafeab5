import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { artifactFolder, BuildFolders } from '../../src/control-plane/build-folders.ts';
import { planInstall } from '../../src/control-plane/builds/install-plan.ts';
import { PackageCache } from '../../src/control-plane/builds/package-cache.ts';
import { Sandbox } from '../../src/control-plane/builds/sandbox.ts';
import { LINK, PROJECT, useBuilds } from './build-setting.ts';

// Attacks of a hostile project on the machine that builds it. Only root on Linux can run builds as other users.
const ifIsolated = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;
const builds = useBuilds();
const { root, dataDir, build, repository } = builds;

const LOCKED = {
  ...PROJECT,
  'package.json': JSON.stringify({ name: 'agent', version: '1.0.0', type: 'module' }),
  'package-lock.json': JSON.stringify({
    name: 'agent',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'agent', version: '1.0.0' } },
  }),
};

/** A folder that only root may enter, with a world-readable file. */
function hiddenFolder(): { folder: string; open: string } {
  const folder = join(root, `hidden-${randomUUID()}`);
  const open = join(folder, 'open');
  mkdirSync(open, { recursive: true });
  writeFileSync(join(open, 'note'), 'the words of root');
  chmodSync(folder, 0o700);
  return { folder, open };
}
const inside = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { uid, mode } = statSync(join(folder, name));
    return [name, uid, mode.toString(8)];
  });

ifIsolated('a build sees no sockets of services in /run', async () => {
  const name = `slipway-test-${randomUUID()}.sock`;
  const server = createServer().listen(join('/run', name));
  const { url } = repository(LOCKED);
  const { lines } = await build({ source_config: { repo_url: url, build_command: 'ls /run' } });
  server.close();
  expect(lines).toContain('slipway-build');
  expect(lines).not.toContain(name);
});

ifIsolated('packages are restored into the project, wherever its node_modules leads', async () => {
  const { open } = hiddenFolder();
  const { url, folder, commit } = repository(LOCKED);
  const order = {
    source_config: { repo_url: url, install_command: null, build_command: LINK },
    deployment_id: randomUUID(),
  };
  const sandbox = sandboxOf(order.deployment_id, join(root, `work-${randomUUID()}`));
  const cache = new PackageCache(new BuildFolders(dataDir), order.deployment_id, sandbox);
  const plan = (await planInstall(folder, { dir: '.' }, undefined))!;
  await sandbox.run({
    name: 'install',
    command: ['sh', '-c', 'mkdir node_modules; echo 1 > node_modules/evil'],
  });
  await cache.keep(plan.key!, '.');
  const before = inside(open);
  symlinkSync(open, join(folder, 'node_modules'));
  commit({});
  const { artifact, lines } = await build(order);
  expect(lines).toContain('Reusing the packages of an earlier build with the same lockfile');
  expect(inside(open)).toEqual(before);
  const restored = join(artifactFolder(dataDir, artifact), 'node_modules');
  expect(readFileSync(join(restored, 'evil'), 'utf8')).toBe('1\n');
});

/** The sandbox of a build in progress, with an empty project. */
function sandboxOf(deploymentId: string, work: string): Sandbox {
  mkdirSync(join(work, 'source'), { recursive: true });
  return new Sandbox({
    folders: new BuildFolders(dataDir),
    work,
    deploymentId,
    environment: {},
    memoryMb: 1_024,
    fence: { detail: 'none', prefix: () => Promise.resolve([]) },
    log: () => {},
    signal: new AbortController().signal,
  });
}

ifIsolated.each([
  ['a node_modules', '.', 'ln -s "$TARGET" node_modules'],
  ['a folder on the way', 'sub', 'ln -s "$PARENT" sub'],
])('%s that is a link brings no file of root into the cache', async (_name, cwd, attack) => {
  const { open, folder } = hiddenFolder();
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'node_modules/secret.js'), 'the words of root');
  const deployment_id = randomUUID();
  const sandbox = sandboxOf(deployment_id, join(root, `work-${randomUUID()}`));
  const cache = new PackageCache(new BuildFolders(dataDir), deployment_id, sandbox);
  const script = attack.replace('$TARGET', open).replace('$PARENT', folder);
  await sandbox.run({ name: 'attack', command: ['sh', '-c', script] });
  const key = createHash('sha256').update(cwd).digest('hex');
  await cache.keep(key, cwd);
  expect(await cache.restore(key, cwd)).toBe(false);
  expect(readdirSync(join(dataDir, 'build-caches', deployment_id, 'packages'))).toEqual([]);
});

ifIsolated(
  'a build cannot put a link in the place of its project, and have root seal what it leads to',
  async () => {
    const { folder, open } = hiddenFolder();
    const before = [statSync(folder).mode, inside(open)];
    const swap = `import { renameSync, symlinkSync } from 'node:fs';
try {
  renameSync('/run/slipway-build/source', '/run/slipway-build/away');
  symlinkSync('${folder}', '/run/slipway-build/source');
} catch {}
`;
    const { url } = repository({ ...PROJECT, 'src/agent.ts': `${swap}${PROJECT['src/agent.ts']}` });
    const { artifact } = await build({ source_config: { repo_url: url } });
    expect([statSync(folder).mode, inside(open)]).toEqual(before);
    expect(existsSync(join(artifactFolder(dataDir, artifact), 'graph.json'))).toBe(true);
  },
);

ifIsolated('a folder that became a link is entered by the build’s user, not by root', async () => {
  const { open } = hiddenFolder();
  const { url } = repository({
    'package.json': PROJECT['package.json']!,
    'sub/graph.json': PROJECT['graph.json']!,
    'sub/src/agent.ts': PROJECT['src/agent.ts']!,
  });
  const lines: string[] = [];
  const source_config = {
    repo_url: url,
    install_command: `${LINK}; mv sub away; ln -s ${open} sub`,
    build_command: 'cat note',
  };
  const order = { source_config, source_revision_config: { graph_config_path: 'sub/graph.json' } };
  await expect(build({ ...order, onLine: (line) => lines.push(line) })).rejects.toThrow('The build command');
  expect(lines.join('\n')).not.toContain('the words of root');
});

ifIsolated('programs and libraries of a project are no part of what root runs for it', async () => {
  const { url } = repository({ ...LOCKED, mount: '#!/bin/sh\nid -u > "$BUILD_ROOT_RAN"\n' });
  const ran = join(root, 'ran');
  const tools = ['mount', 'nice', 'setpriv', 'cat', 'cp', 'find'].map(
    (name) => `printf '#!/bin/sh\\nid -u >> ${ran}\\n' > $bin/${name}; chmod 755 $bin/${name}`,
  );
  // The programs of a package manager installed for the build.
  const install_command = `${LINK}; bin=$npm_config_cache/../tools/pnpm-9.0.0/bin; mkdir -p $bin; ${tools.join('; ')}`;
  const deployment_id = randomUUID();
  await build({ source_config: { repo_url: url, install_command }, deployment_id });
  const sandbox = sandboxOf(deployment_id, join(root, `work-${randomUUID()}`));
  const tool = { name: 'pnpm', version: '9.0.0', spec: 'pnpm@9.0.0', fetch: 'true' } as const;
  await sandbox.use(tool).catch(() => {});
  await sandbox.run({ name: 'step', command: ['sh', '-c', 'true'] });
  await sandbox.takeOut();
  expect(existsSync(ran)).toBe(false);
});

test('an artifact does not change through file handles the build left open', async () => {
  const { url } = repository({ ...PROJECT, 'held.js': 'export const good = true;' });
  const marker = `HOLD-${randomUUID()}`;
  let held: number | undefined;
  const { artifact } = await build({
    source_config: {
      repo_url: url,
      build_command: `${LINK}; echo ${marker}; until [ -e go ]; do sleep 0.05; done`,
    },
    onLine(line) {
      if (line !== marker) return;
      const work = join(dataDir, 'builds', readdirSync(join(dataDir, 'builds'))[0]!);
      held = openSync(join(work, 'source/held.js'), 'r+');
      writeFileSync(join(work, 'source/go'), '');
    },
  });
  writeSync(held!, 'export const evil = true;');
  expect(readFileSync(join(artifactFolder(dataDir, artifact), 'held.js'), 'utf8')).toBe(
    'export const good = true;',
  );
});

test('pipes, sockets and endless files do not block a build, and are not in the artifact', async () => {
  const { url } = repository(PROJECT);
  const odd = `mkfifo pipe; node -e "require('net').createServer().listen('socket', () => process.exit())"`;
  const { artifact } = await build({ source_config: { repo_url: url, build_command: `${LINK}; ${odd}` } });
  expect(readdirSync(artifactFolder(dataDir, artifact))).toEqual([
    'graph.json',
    'node_modules',
    'package.json',
    'src',
  ]);
  const endless = { repo_url: url, build_command: `${LINK}; truncate -s 7G large` };
  await expect(build({ source_config: endless })).rejects.toThrow(/would be \d+ bytes large/);
});

test('endlessly nested folders are refused and removed', async () => {
  const { url } = repository(PROJECT);
  const nest = `node -e "for (let i = 0; i < 3000; i++) { require('fs').mkdirSync('deep'); process.chdir('deep') }"`;
  const source_config = { repo_url: url, build_command: `${LINK}; ${nest}` };
  await expect(build({ source_config })).rejects.toThrow('a path that is too long');
  expect(readdirSync(join(dataDir, 'builds'))).toEqual([]);
});

test('a config file that is a link or too large is refused', async () => {
  const linked = repository({ ...PROJECT, 'real/graph.json': PROJECT['graph.json']! });
  symlinkSync('real', join(linked.folder, 'way'));
  linked.commit({});
  const config = { graph_config_path: 'way/graph.json' };
  const source_config = { repo_url: linked.url };
  await expect(build({ source_config, source_revision_config: config })).rejects.toThrow(
    'The project has no way/graph.json',
  );
  linked.commit({ 'graph.json': `{"graphs":{}, "x": "${'x'.repeat(17 * 1024 * 1024)}"}` });
  await expect(build({ source_config })).rejects.toThrow(/graph.json is \d+ bytes large/);
});

ifIsolated('other users of the machine see neither sources nor uploads nor caches', async () => {
  const { url } = repository(PROJECT);
  await build({ source_config: { repo_url: url } });
  for (const folder of [root, dataDir]) chmodSync(folder, 0o711);
  const nobody = (folder: string) =>
    execFileSync(
      'env',
      ['setpriv', '--reuid=65534', '--clear-groups', 'sh', '-c', `ls ${folder} 2>&1 || true`],
      {
        encoding: 'utf8',
      },
    );
  for (const folder of ['builds', 'build-caches', 'uploads'])
    expect(nobody(join(dataDir, folder))).toContain('Permission denied');
});
