import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isUsableBy, type Owner } from './postgres-owner.ts';

/** A Postgres installation with bin, lib and share, as laid out by the platform package. */
type Tree = string;

const PROGRAMS = ['initdb', 'postgres'];

/** Whether the owner (undefined: this user) can run the programs and load their libraries. */
export async function isUsableTree(tree: Tree, owner: Owner | undefined): Promise<boolean> {
  const executables = PROGRAMS.map((name) => join(tree, 'bin', name));
  const data = join(tree, 'share', 'postgresql', 'postgres.bki');
  try {
    const links = (await libraryLinks(tree)).map(({ path }) => path);
    await Promise.all([data, ...links].map((path) => access(path, constants.R_OK)));
    await Promise.all(executables.map((path) => access(path, constants.X_OK)));
  } catch {
    return false;
  }
  if (!owner) return true;
  const asked = executables.map((path) => isUsableBy(owner, path, '-x'));
  return (await Promise.all([...asked, isUsableBy(owner, data, '-r')])).every(Boolean);
}

/** Repeats the package's install script: npm packages contain no links, and install scripts may be disabled. */
export async function repairPostgresTree(tree: Tree): Promise<void> {
  for (const { path, source } of await libraryLinks(tree)) {
    if (await lstat(path).catch(() => undefined)) continue;
    await symlink(source, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  for (const path of PROGRAMS.map((name) => join(tree, 'bin', name))) {
    const { mode } = await lstat(path);
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
  }
}

/** Copies and repairs a tree so that every user can read it. The result appears atomically. */
export async function copyPostgresTree(from: Tree, to: Tree, owner: Owner | undefined): Promise<void> {
  const parent = dirname(to);
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
  const draft = `${to}.${randomUUID()}`;
  try {
    await copyDir(from, draft);
    await repairPostgresTree(draft);
    try {
      await rename(draft, to);
    } catch (error) {
      // Another start finished first and may be running from its copy; replace only a broken one.
      if (await isUsableTree(to, owner)) return;
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await rm(to, { recursive: true, force: true });
      await rename(draft, to);
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  if (!(await isUsableTree(to, owner))) throw new Error('the copied programs cannot be run either');
}

async function copyDir(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyDir(source, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy);
    else if (!entry.name.endsWith('.a')) {
      await copyFile(source, copy, constants.COPYFILE_FICLONE);
      await chmod(copy, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}

/** Library links of the tree; `source` is relative to the link. */
async function libraryLinks(tree: Tree): Promise<{ path: string; source: string }[]> {
  const text = await readFile(join(tree, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const listed = JSON.parse(text) as { source: string; target: string }[];
  return listed.map(({ source, target }) => ({
    // Paths are relative to the package root, where the tree is called native. Link and source share a directory.
    path: join(tree, target.replace(/^native\//, '')),
    source: basename(source),
  }));
}
