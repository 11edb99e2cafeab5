import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { BuildFailed } from '../../errors.ts';
import { type GraphConfig, readProjectFile } from '../graph-config.ts';
import { type LocalPackage, readLocalPackage } from './local-package.ts';

/** What the environment of a Python project is made of. All paths are within the project. */
export interface PythonPlan {
  /** Which Python: `3.12`, `>=3.11`. */
  version: string;
  /** What asks for that one; undefined where any does. */
  askedBy?: string;
  /** The environment. */
  environment: string;
  /** Folder of a uv.lock. */
  locked?: string;
  /** Folders that `dependencies` names. */
  folders: string[];
  installer: 'uv' | 'pip';
  pipConfig?: string;
  /** Requirements in addition to the locked ones, in the form that pip and uv accept at the project's root. */
  requirements: string[];
  /** Digest of all inputs of the installation; undefined if they are unknown. */
  key?: string;
  warnings: string[];
}

const OLDEST = '>=3.10';
const VERSION = /^3\.\d{1,2}(?:\.\d{1,2})?$/;

/** Throws BuildFailed for what cannot be honoured. */
export async function planPython(
  source: string,
  { path, dir, settings }: Pick<GraphConfig, 'path' | 'dir' | 'settings'>,
): Promise<PythonPlan> {
  const refuse = (why: string) => new BuildFailed(`${path}: ${why}`);
  const { dependencies, python_version, pip_installer, pip_config_file } = readSettings(settings, refuse);
  const pipConfig = pip_config_file === undefined ? undefined : normalize(join(dir, pip_config_file));
  if (pipConfig !== undefined && (await readProjectFile(source, pipConfig)) === undefined)
    throw refuse(`no such file: ${pip_config_file} (pip_config_file)`);
  const { packages, names } = await readDependencies(source, dir, dependencies, refuse);
  const locked = packages.find(({ kind }) => kind === 'locked');
  const installer = pip_installer === 'pip' || (pipConfig !== undefined && !locked) ? 'pip' : 'uv';
  const requirements = [
    ...packages.filter((one) => one !== locked).flatMap((one) => requirementsOf(one, installer)),
    ...names,
  ];
  const version = await versionOf(source, dir, python_version, packages);
  const isDecided = locked?.decidedBy !== undefined && requirements.length === 0;
  return {
    ...version,
    environment: join(dir, '.venv'),
    ...(locked && { locked: locked.folder }),
    folders: packages.map(({ folder }) => folder),
    installer,
    ...(pipConfig !== undefined && { pipConfig }),
    requirements,
    ...(isDecided && { key: keyOf([version.version, dir, locked.folder, locked.decidedBy!]) }),
    warnings: locked
      ? []
      : ['There is no uv.lock: the same commit may be built into something else another time'],
  };
}

interface Settings {
  dependencies: string[];
  python_version?: string;
  pip_installer: string;
  pip_config_file?: string;
}

function readSettings(settings: Record<string, unknown>, refuse: (why: string) => Error): Settings {
  const { dependencies = ['.'], python_version, pip_installer = 'auto', pip_config_file } = settings;
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const mustBe = (key: string, what: string) =>
    refuse(`${key} must be ${what}, not ${JSON.stringify(settings[key])}`);
  if (!Array.isArray(dependencies) || !dependencies.every(isText))
    throw mustBe('dependencies', 'a list of packages and folders');
  if (!isText(pip_installer) || !['auto', 'uv', 'pip'].includes(pip_installer))
    throw mustBe('pip_installer', 'auto, uv or pip');
  if (python_version != null && !(isText(python_version) && VERSION.test(python_version)))
    throw mustBe('python_version', 'like "3.12"');
  if (pip_config_file != null && !isText(pip_config_file)) throw mustBe('pip_config_file', 'a path');
  return {
    dependencies,
    pip_installer,
    ...(python_version != null && { python_version }),
    ...(pip_config_file != null && { pip_config_file }),
  };
}

async function readDependencies(
  source: string,
  dir: string,
  dependencies: string[],
  refuse: (why: string) => Error,
): Promise<{ packages: LocalPackage[]; names: string[] }> {
  const packages: LocalPackage[] = [];
  const names: string[] = [];
  for (const dependency of new Set(dependencies)) {
    if (dependency.startsWith('-')) throw refuse(`dependencies: '${dependency}' is not a package`);
    if (!(await isFolder(source, dir, dependency))) {
      names.push(dependency);
      continue;
    }
    const folder = normalize(join(dir, dependency)).replace(/\/$/, '');
    if (folder.startsWith('..')) throw refuse(`dependencies: '${dependency}' is outside the project`);
    packages.push(await readLocalPackage(source, folder));
  }
  return { packages, names };
}

/** A leading dot always means a folder; if it is missing, the installation reports that. */
async function isFolder(source: string, dir: string, dependency: string): Promise<boolean> {
  if (/^\.{1,2}(?:\/|$)/.test(dependency)) return !/\.(?:whl|tar\.gz|zip)$/.test(dependency);
  if (!/^[\w./-]+$/.test(dependency)) return false;
  return (await lstat(join(source, dir, dependency)).catch(() => undefined))?.isDirectory() ?? false;
}

function requirementsOf({ folder, kind }: LocalPackage, installer: 'uv' | 'pip'): string[] {
  const file = (name: string) => ['-r', `./${join(folder, name)}`];
  if (kind === 'plain') return [];
  if (kind === 'requirements.txt') return file(kind);
  // pip reads no other file.
  if (kind === 'pyproject.toml' && installer === 'uv') return file(kind);
  return ['-e', `./${folder}`];
}

async function versionOf(
  source: string,
  dir: string,
  asked: string | undefined,
  packages: LocalPackage[],
): Promise<{ version: string; askedBy?: string }> {
  if (asked !== undefined) return { version: asked, askedBy: 'python_version' };
  for (const folder of new Set([dir, '.'])) {
    const text = (await readProjectFile(source, join(folder, '.python-version')))?.trim() ?? '';
    if (VERSION.test(text)) return { version: text, askedBy: '.python-version' };
  }
  const required = packages.find(({ requiresPython }) => requiresPython)?.requiresPython;
  return required ? { version: required, askedBy: 'requires-python' } : { version: OLDEST };
}

const keyOf = (parts: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['python', process.platform, process.arch, ...parts]))
    .digest('hex');
