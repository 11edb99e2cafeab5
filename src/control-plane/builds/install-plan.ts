import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { GraphConfig } from './graph-config.ts';
import { readProjectFile } from './graph-config.ts';
import { type PackageTool, packageTool } from './package-tool.ts';

/** How the packages of a project are installed. */
export interface InstallPlan {
  /** A line of shell. */
  command: string;
  /** Folder within the project. */
  cwd: string;
  /** The deployment's `install_command`. */
  isGiven?: true;
  /** Digest of all inputs of the installation; undefined if they are unknown. */
  key?: string;
  /** Lines for the log. */
  warning?: string;
  /** What the command is of, where npm has to install it first. */
  tool?: PackageTool;
}

const LOCKFILES: [name: string, manager: 'npm' | 'pnpm' | 'yarn'][] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
];
// They may make files of the project's own, which no cache of packages holds.
const SCRIPTS = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];

interface Manifest {
  packageManager?: unknown;
  scripts?: Record<string, string>;
  workspaces?: unknown;
  dependencies?: object;
  devDependencies?: object;
  optionalDependencies?: object;
}

/**
 * The given command, run at the root, or else that of the lockfile at the root or next to the config file. Undefined if
 * there is nothing to install.
 */
export async function planInstall(
  source: string,
  config: Pick<GraphConfig, 'dir'>,
  installCommand: unknown,
): Promise<InstallPlan | undefined> {
  if (typeof installCommand === 'string' && installCommand.trim() !== '')
    return { command: installCommand, cwd: '.', isGiven: true };
  const folders = config.dir === '.' ? ['.'] : ['.', config.dir];
  for (const cwd of folders) {
    for (const [name, manager] of LOCKFILES) {
      const lockfile = await readProjectFile(source, join(cwd, name));
      if (lockfile === undefined) continue;
      const wanted = (await readManifest(source, cwd)) ?? (await readManifest(source, '.'));
      const tool = manager === 'npm' ? undefined : packageTool(manager, lockfile, wanted?.packageManager);
      const command = tool?.install ?? 'npm ci';
      const key = await cacheKey(source, cwd, [command, lockfile, tool?.spec ?? '']);
      return { command, cwd, ...(tool && { tool }), ...(key && { key }) };
    }
  }
  for (const cwd of folders.toReversed()) {
    const manifest = await readManifest(source, cwd);
    if (!manifest) continue;
    const { dependencies, devDependencies, optionalDependencies, scripts, workspaces } = manifest;
    const needed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).length > 0;
    if (!needed && !workspaces && !SCRIPTS.some((script) => scripts?.[script])) return undefined;
    const warning = 'There is no lockfile: the same commit may be built into something else another time';
    return { command: 'npm install --no-package-lock', cwd, warning };
  }
  return undefined;
}

async function cacheKey(source: string, cwd: string, parts: string[]): Promise<string | undefined> {
  const manifest = await readManifest(source, cwd);
  if (!manifest || manifest.workspaces || SCRIPTS.some((script) => manifest.scripts?.[script]))
    return undefined;
  // The lockfile does not cover the content of packages that are folders of the project.
  if (/"link"\s*:|\b(?:file|link|portal|workspace):/.test(parts[1]!)) return undefined;
  const npmrc = (await readProjectFile(source, join(cwd, '.npmrc'))) ?? '';
  const machine = `${process.platform} ${process.arch} ${process.versions.modules}`;
  return createHash('sha256')
    .update(JSON.stringify([machine, cwd, ...parts, JSON.stringify(manifest), npmrc]))
    .digest('hex');
}

async function readManifest(source: string, cwd: string): Promise<Manifest | undefined> {
  const text = await readProjectFile(source, join(cwd, 'package.json'));
  try {
    return text === undefined ? undefined : ((JSON.parse(text) as Manifest | null) ?? {});
  } catch {
    return {};
  }
}
