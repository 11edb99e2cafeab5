import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { create } from 'tar';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { PROJECT, LINK, useBuilds, writeFiles } from './build-setting.ts';

const { root, dataDir, build, fetchOnly, repository } = useBuilds();
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a repository with git's own server program to clients with the token. */
const gitServer = (folder: string, authorization: string) =>
  listen((request, response) => {
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const { pathname, search } = new URL(request.url!, 'http://localhost');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: dirname(folder),
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method!,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
  });

test('a private repository is fetched with the token from the secrets', async () => {
  const { folder, sha } = repository(PROJECT);
  const basic = Buffer.from('x-access-token:ghp-secret-token').toString('base64');
  const address = await gitServer(folder, `Basic ${basic}`);
  const source_config = { repo_url: `${address}/${folder.split('/').at(-1)}/.git` };
  const { repo_commit_sha, lines } = await build({
    source_config,
    environment: { GIT_TOKEN: 'ghp-secret-token' },
  });
  expect(repo_commit_sha).toBe(sha);
  expect(lines.join('\n')).not.toMatch(/ghp-|eC1hY2Nlc3M/);
  for (const environment of [{}, { GIT_TOKEN: 'wrong-token' }])
    await expect(build({ source_config, environment })).rejects.toThrow('set the secret GIT_TOKEN');
});

test("an integration's token is sent only to its own origin, and a deployment's own token takes precedence", async () => {
  const { folder, sha } = repository(PROJECT);
  const basic = Buffer.from('oauth2:glpat-lent-token').toString('base64');
  const address = await gitServer(folder, `Basic ${basic}`);
  const url = `${address}/${folder.split('/').at(-1)}/.git`;
  const lent = { kind: 'gitlab' as const, token: 'glpat-lent-token', url: address };
  const { commit, lines } = await fetchOnly(url, { lent });
  expect(commit).toBe(sha);
  expect(lines.join('\n')).not.toMatch(/glpat-|b2F1dGgy/);
  // Also works with a server that serves a commit only on request.
  expect((await fetchOnly(url, { lent, commit: sha })).commit).toBe(sha);
  for (const elsewhere of [
    address.replace('127.0.0.1', 'localhost'),
    'http://127.0.0.1',
    'https://127.0.0.1',
  ])
    await expect(fetchOnly(url, { lent: { ...lent, url: elsewhere } })).rejects.toThrow(
      'give the integration',
    );
  const secrets = { GIT_TOKEN: 'wrong-token' };
  await expect(fetchOnly(url, { lent, secrets })).rejects.toThrow('give the integration');
});

// A fake ssh: records its configuration and runs the remote command locally. It needs no sshd, and does not check keys.
const SSH = `#!/bin/sh
config="$2"
{ cat "$config"; echo "--- key"; cat "$(dirname "$config")/key"; echo "--- hosts"; cat "$(dirname "$config")/known_hosts"; } \
  > "$SAID" 2>/dev/null
id -u >> "$SAID"
for last; do :; done
exec sh -c "git -c 'safe.directory=*' \${last#git-}"
`;

test("an integration's SSH key is used only for its own host, with a pinned host key", async () => {
  const { folder, sha } = repository(PROJECT);
  const bin = join(root, 'bin');
  const record = join(root, 'said');
  writeFiles(bin, { ssh: SSH.replaceAll('$SAID', record) });
  // Written by the build's user.
  writeFileSync(record, '');
  chmodSync(record, 0o666);
  chmodSync(join(bin, 'ssh'), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${bin}:${path}`;
  try {
    const lent = { kind: 'github' as const, url: 'https://localhost', ssh_key: 'the lent key' };
    const url = `ssh://git@localhost${folder}`;
    const pinned = { ...lent, ssh_known_hosts: 'localhost ssh-ed25519 AAAA' };
    expect((await fetchOnly(url, { lent: pinned })).commit).toBe(sha);
    const strict = readFileSync(record, 'utf8');
    expect(strict).toMatch(
      /StrictHostKeyChecking yes[^]*--- key\nthe lent key\n--- hosts\nlocalhost ssh-ed25519/,
    );
    expect(strict).toMatch(
      /HostKeyAlias localhost[^]*BatchMode yes[^]*IdentitiesOnly yes[^]*IdentityAgent none/,
    );
    await fetchOnly(url, { lent });
    const first = readFileSync(record, 'utf8');
    expect(first).toContain('StrictHostKeyChecking accept-new');
    await fetchOnly(url, { lent: { ...lent, url: 'https://elsewhere.example.com' } });
    expect(readFileSync(record, 'utf8')).not.toContain('the lent key');
    await fetchOnly(url, { lent, secrets: { GIT_SSH_KEY: 'the own key' } });
    expect(readFileSync(record, 'utf8')).toContain('--- key\nthe own key');
  } finally {
    process.env['PATH'] = path;
  }
});

test('redirects are not followed', async () => {
  const elsewhere = await listen((_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(),
  );
  await expect(build({ source_config: { repo_url: `${elsewhere}/x.git` } })).rejects.toThrow('redirects');
});

test('an uploaded archive becomes an artifact', async () => {
  const deployment_id = randomUUID();
  const upload_id = randomUUID();
  const source_tarball_path = `uploads/${deployment_id}/${upload_id}.tar.gz`;
  const folder = join(root, 'uploaded');
  writeFiles(folder, PROJECT);
  writeFiles(dataDir, { [source_tarball_path]: '' });
  await create({ gzip: true, file: join(dataDir, source_tarball_path), cwd: folder }, ['.']);
  const order = { source: 'internal_source' as const, source_revision_config: { source_tarball_path } };
  const { artifact, repo_commit_sha } = await build({ ...order, deployment_id });
  expect(repo_commit_sha).toBeUndefined();
  expect(existsSync(join(artifactFolder(dataDir, artifact), 'src/agent.ts'))).toBe(true);
  // The same project from another source.
  const { url } = repository(PROJECT);
  expect((await build({ source_config: { repo_url: url } })).artifact).toBe(artifact);
  await expect(build({ ...order, deployment_id: randomUUID() })).rejects.toThrow('has no upload');
});

test('locked packages are installed once per deployment and give the same artifact', async () => {
  const files = {
    'package/package.json': '{"name":"tiny","version":"1.0.0"}',
    'package/index.js': 'export default 1;',
  };
  writeFiles(join(root, 'tiny'), files);
  await create({ gzip: true, file: join(root, 'tiny.tgz'), cwd: join(root, 'tiny') }, ['package']);
  const tarball = readFileSync(join(root, 'tiny.tgz'));
  let fetched = 0;
  const registry = await listen((_request, response) => {
    fetched++;
    response.end(tarball);
  });
  const tiny = {
    version: '1.0.0',
    resolved: `${registry}/tiny/-/tiny-1.0.0.tgz`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
  };
  const manifest = { name: 'agent', version: '1.0.0', type: 'module', dependencies: { tiny: '1.0.0' } };
  const { url, commit } = repository({
    ...PROJECT,
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({
      name: 'agent',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'agent', version: '1.0.0', dependencies: manifest.dependencies },
        'node_modules/tiny': tiny,
      },
    }),
  });
  const source_config = { repo_url: url, install_command: null, build_command: LINK };
  // Builds can't reach ports of this machine unless allowed.
  const settings = { SLIPWAY_FENCE_ALLOW: new URL(registry).host };
  const deployment_id = randomUUID();
  const first = await build({ source_config, deployment_id, settings });
  expect(first.lines).toContain('Installing packages: npm ci');
  expect(existsSync(join(artifactFolder(dataDir, first.artifact), 'node_modules/tiny/index.js'))).toBe(true);
  const second = await build({ source_config, deployment_id, settings });
  expect(second.lines).toContain('Reusing the packages of an earlier build with the same lockfile');
  expect(second.artifact).toBe(first.artifact);
  expect(fetched).toBe(1);
  const other = await build({ source_config, deployment_id: randomUUID(), settings });
  expect([other.artifact, fetched]).toEqual([first.artifact, 2]);
  commit({ 'package.json': JSON.stringify({ ...manifest, description: 'changed' }) });
  expect((await build({ source_config, deployment_id, settings })).lines).toContain(
    'Installing packages: npm ci',
  );
});

test('a config file that links outside the project is not read', async () => {
  const linked = repository({ ...PROJECT, 'package.json': '{}' });
  symlinkSync('/etc', join(linked.folder, 'agents'));
  linked.commit({});
  const order = {
    source_config: { repo_url: linked.url },
    source_revision_config: { graph_config_path: 'agents/passwd' },
  };
  await expect(build(order)).rejects.toThrow('The project has no agents/passwd');
});

test('a repository that is a compression bomb is limited by the artifact size', async () => {
  const { url } = repository({
    ...PROJECT,
    'large.txt': gzipSync('x'.repeat(1_000)).toString('base64').repeat(1_000),
  });
  await expect(
    build({ source_config: { repo_url: url }, settings: { SLIPWAY_ARTIFACT_LIMIT_BYTES: 10_000 } }),
  ).rejects.toThrow('10000 are allowed');
});
