import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import dockerignore from '@balena/dockerignore';
import ignore, { type Ignore } from 'ignore';

/** Files that are never part of a project, even if its ignore files include them. */
const NEVER = [
  '.git',
  'node_modules',
  '.slipway',
  '.langgraph_api',
  '__pycache__',
  '.venv',
  '.DS_Store',
  '.env',
];

/** Whether a path within the project (`a/b`) is ignored; called for folders before their contents. */
export interface Leaves {
  folder(path: string): Promise<boolean>;
  file(path: string): boolean;
}

/** Reads the .dockerignore of the root and, on the way, the .gitignore of every folder. */
export async function leavesOf(root: string): Promise<Leaves> {
  const docker = dockerignore.default().add((await readLines(join(root, '.dockerignore'))) ?? []);
  const byFolder = new Map<string, Ignore>();
  const learn = async (folder: string) => {
    const lines = await readLines(join(root, folder, '.gitignore'));
    if (lines) byFolder.set(folder, ignore().add(lines));
  };
  await learn('');
  const byGit = (path: string, suffix: string): boolean => {
    // The nearest file with a matching rule decides.
    for (let folder = parent(path); ; folder = parent(folder)) {
      const within = folder ? path.slice(folder.length + 1) : path;
      const match = byFolder.get(folder)?.test(within + suffix);
      if (match?.ignored) return true;
      if (match?.unignored || !folder) return false;
    }
  };
  const never = (path: string) => NEVER.includes(path.slice(path.lastIndexOf('/') + 1));
  return {
    async folder(path) {
      if (never(path) || byGit(path, '/')) return true;
      await learn(path);
      return false;
    },
    // A .dockerignore may re-include a file of an ignored folder.
    file: (path) => never(path) || byGit(path, '') || docker.ignores(path),
  };
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

async function readLines(file: string): Promise<string[] | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text?.split(/\r?\n/);
}
