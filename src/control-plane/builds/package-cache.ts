import { execFile } from 'node:child_process';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { BuildFolders } from './build-folders.ts';

const execute = promisify(execFile);

/** The system's own: of ten thousand small files it takes a sixth of the time that Node needs. */
const copyFolder = (from: string, to: string) => execute('cp', ['-RPp', from, to]);

/** Installed packages of a deployment, by what decided them: the same lockfile is installed once. */
export class PackageCache {
  readonly #folder: string;

  constructor(folders: BuildFolders, deploymentId: string) {
    this.#folder = join(folders.caches, deploymentId, 'packages');
  }

  /** Returns false when they were not installed before. */
  async restore(key: string, project: string): Promise<boolean> {
    const cached = join(this.#folder, key);
    if (!(await stat(cached).catch(() => undefined))) return false;
    const installed = join(project, 'node_modules');
    try {
      const now = new Date();
      await utimes(cached, now, now);
      await copyFolder(cached, installed);
      return true;
    } catch {
      // Swept meanwhile: they are installed once more.
      await rm(installed, { recursive: true, force: true });
      return false;
    }
  }

  /** Keeps a copy; what is there already stays. */
  async keep(key: string, project: string): Promise<void> {
    const installed = join(project, 'node_modules');
    if (!(await stat(installed).catch(() => undefined))?.isDirectory()) return;
    await mkdir(this.#folder, { recursive: true });
    const copy = join(this.#folder, `${key}.${randomUUID()}`);
    try {
      await copyFolder(installed, copy);
      await rename(copy, join(this.#folder, key));
    } catch {
      // Another attempt was first, or the disk is full: a build does not depend on it.
      await rm(copy, { recursive: true, force: true });
    }
  }
}
