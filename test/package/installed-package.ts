import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { type Ended, type Running, startCommand } from '../support/slipway-command.ts';

const checkout = fileURLToPath(packageRoot);
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist|\.git|\.slipway|\.venv|screenshots)$/;
const INSTALL_MS = 900_000;

/** The environment of a user's shell: without what npm, Jest and the tests add. */
function shellEnvironment(): Record<string, string> {
  const added = /^(?:npm_(?!config_registry$)|TEST_|JEST_|SLIPWAY_|NODE_ENV$|INIT_CWD$)/;
  const env = Object.entries(process.env).filter(([name]) => !added.test(name)) as [string, string][];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  // npm adds the checkout's commands.
  const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
  return { ...Object.fromEntries(env), PATH };
}

export interface InstalledPackage {
  /** An empty folder at first, outside the checkout. */
  readonly folder: string;
  /** The tarball that `npm pack` created. */
  readonly tarball: string;
  /** The installed package. */
  readonly root: string;
  /** Starts a command of the package, as with a global installation. */
  start(args: string[], cwd: string, env?: Record<string, string>): Running;
  /** Runs another command in the same environment. */
  run(command: string, args: string[], cwd: string): Promise<Ended>;
}

/** Packs a copy of the checkout and installs the tarball below a prefix. `npm pack` builds, which replaces `dist`. */
export function useInstalledPackage(): InstalledPackage {
  let home: string;
  let tarball: string;
  const at = (...path: string[]) => join(home, ...path);
  const env = () => ({ ...shellEnvironment(), XDG_STATE_HOME: at('state') });
  const run = (command: string, args: string[], cwd: string) => startCommand(command, args, env(), cwd).ended;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-package-'));
    await cp(checkout, at('checkout'), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(relative(checkout, path)),
    });
    await symlink(join(checkout, 'node_modules'), at('checkout/node_modules'));
    await mkdir(at('empty'));
    const packed = await run('npm', ['pack', '--pack-destination', home], at('checkout'));
    tarball = at(packed.stdout.trim().split('\n').at(-1)!);
    const installed = await run('npm', ['install', '--global', '--prefix', home, tarball], at('empty'));
    if (packed.code !== 0 || installed.code !== 0) throw new Error(packed.stderr + installed.stderr);
  }, INSTALL_MS);
  afterAll(() => rm(home, { recursive: true, force: true }));

  return {
    get folder() {
      return at('empty');
    },
    get tarball() {
      return tarball;
    },
    get root() {
      return at('lib/node_modules/@slipway-dev/slipway');
    },
    start: (args, cwd, more) => startCommand(at('bin/slipway'), args, { ...env(), ...more }, cwd),
    run,
  };
}

/** Size of a package's own files, in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name !== 'node_modules');
  const sizes = names.map(async (name) => {
    const found = await stat(join(folder, name));
    return found.isDirectory() ? sizeOf(join(folder, name)) : found.size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
