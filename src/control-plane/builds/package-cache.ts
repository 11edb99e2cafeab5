import { randomUUID } from 'node:crypto';
import { lstat, lutimes, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { BuildFailed } from '../errors.ts';
import type { BuildFolders } from '../build-folders.ts';
import { removeTree } from './remove-tree.ts';
import type { Sandbox } from './sandbox.ts';

// The system's own `cp`: of ten thousand small files it takes a sixth of the time that Node needs. What was there
// before makes room, as `npm ci` has it.
const restoring = (name: string, folder: string): string =>
  `rm -rf ${folder} && cp -RPp "$CACHE/${name}" ${folder} || { rm -rf ${folder}; exit 1; }`;
const keeping = (name: string, folder: string): string =>
  `[ -d ${folder} ] && [ ! -L ${folder} ] && cp -RPp ${folder} "$CACHE/${name}"`;

/**
 * Installed packages of a deployment, by what decided them: the same lockfile is installed once. The build's own user
 * copies them, as the project decides where the folder leads; no step of the project sees the cache.
 */
export class PackageCache {
  readonly #folder: string;
  readonly #installed: string;
  readonly #sandbox: Pick<Sandbox, 'runOwn'>;

  /** `installed`: what packages are installed into. */
  constructor(
    folders: BuildFolders,
    deploymentId: string,
    sandbox: Pick<Sandbox, 'runOwn'>,
    installed: 'node_modules' | '.venv' = 'node_modules',
  ) {
    this.#installed = installed;
    this.#folder = join(folders.caches, deploymentId, 'packages');
    this.#sandbox = sandbox;
  }

  /** Into a folder of the project. Returns false when they were not installed before. */
  async restore(key: string, cwd: string): Promise<boolean> {
    const cached = join(this.#folder, key);
    if (!(await isFolder(cached))) return false;
    const now = new Date();
    await lutimes(cached, now, now);
    // Swept meanwhile: they are installed once more.
    return this.#copy('Restoring packages', restoring(key, this.#installed), cwd);
  }

  /** Stores a copy; does not overwrite an existing one. */
  async keep(key: string, cwd: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const name = `${key}.${randomUUID()}`;
    const copy = join(this.#folder, name);
    try {
      if (
        (await this.#copy('Keeping packages', keeping(name, this.#installed), cwd)) &&
        (await isFolder(copy))
      )
        await rename(copy, join(this.#folder, key));
    } catch (error) {
      // Another attempt was first.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    } finally {
      await removeTree(copy);
    }
  }

  /** False when it did not work, as on a disk that is full: a build does not depend on it. */
  async #copy(name: string, script: string, cwd: string): Promise<boolean> {
    try {
      await this.#sandbox.runOwn({ name, command: ['sh', '-c', script], cwd, cache: this.#folder });
      return true;
    } catch (error) {
      if (error instanceof BuildFailed) return false;
      throw error;
    }
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
