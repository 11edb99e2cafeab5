import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { chmod, lchown, lstat, lutimes, mkdir, readdir, readFile, readlink, rename } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { BuildFailed } from '../errors.ts';
import { artifactFolder, type BuildFolders } from '../build-folders.ts';
import { removeTree } from './remove-tree.ts';

const AT_ONCE = 16;
const READ_WHOLE_BYTES = 1024 * 1024;

interface Entry {
  path: string;
  /** `other`: a socket or pipe left by a build, not part of the artifact. */
  kind: 'file' | 'folder' | 'link' | 'other';
  executable: boolean;
  /** A file's digest, or a link's target. */
  content: string;
}

/**
 * Moves a finished project into the store and returns its content address: `sha256:` over every path, its content and
 * executable bit, in path order. Deduplicates. No process may still hold a file of the project. Throws BuildFailed
 * above `limit` bytes.
 */
export async function storeArtifact(
  folders: BuildFolders,
  project: string,
  { limit, warn, signal }: { limit: number; warn(line: string): void; signal: AbortSignal },
): Promise<string> {
  const found = await readTree(project, signal, limit);
  const entries = found.filter(({ kind }) => kind !== 'other');
  const strays = entries.filter(({ kind, path, content }) => kind === 'link' && leaves(path, content));
  if (strays.length > 0)
    warn(
      `Leads out of the project, and is no part of the artifact: ${strays
        .map(({ path }) => path)
        .slice(0, 5)
        .join(', ')}`,
    );
  const artifact = addressOf(entries);
  signal.throwIfAborted();
  const others = found.filter(({ kind }) => kind === 'other');
  for (const { path } of others) await removeTree(join(project, path));
  await seal(project, entries);
  const folder = artifactFolder(folders.root, artifact);
  await mkdir(folders.artifacts, { recursive: true });
  try {
    await rename(project, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  // Restarts its retention, so that the sweep keeps it until the revision references it.
  const now = new Date();
  await lutimes(folder, now, now);
  return artifact;
}

/** Content address of a folder. */
export const artifactAddress = async (folder: string): Promise<string> =>
  addressOf(await readTree(folder, new AbortController().signal));

function addressOf(entries: Entry[]): string {
  const hash = createHash('sha256');
  for (const { path, kind, executable, content } of entries.filter((entry) => entry.kind !== 'other'))
    hash.update(`${JSON.stringify([path, kind, executable, content])}\n`);
  return `sha256:${hash.digest('hex')}`;
}

/** Everything below a folder, sorted by path. Doesn't follow links, and stops above the size limit. */
async function readTree(root: string, signal: AbortSignal, limit = Infinity): Promise<Entry[]> {
  const found = await readdir(root, { withFileTypes: true, recursive: true });
  const paths = found.map((entry) => join(entry.parentPath, entry.name));
  const stats = await eachOf(paths, (path) => lstat(path));
  const size = stats.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0);
  if (size > limit) throw new BuildFailed(`The artifact would be ${size} bytes large; ${limit} are allowed`);
  const entries = await eachOf(paths, (path, index) => {
    signal.throwIfAborted();
    return readEntry(root, path, stats[index]!);
  });
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readEntry(root: string, file: string, stats: Stats): Promise<Entry> {
  const path = relative(root, file);
  const entry = { path, executable: false, content: '' };
  if (stats.isDirectory()) return { ...entry, kind: 'folder' };
  if (stats.isSymbolicLink()) return { ...entry, kind: 'link', content: await readlink(file) };
  if (!stats.isFile()) return { ...entry, kind: 'other' };
  const executable = (stats.mode & 0o100) !== 0;
  return { ...entry, kind: 'file', executable, content: await digestOf(file, stats.size) };
}

/** Reading small files at once takes a third of the time. */
async function digestOf(file: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  if (size <= READ_WHOLE_BYTES) return hash.update(await readFile(file)).digest('hex');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Makes it read-only, for every user. */
async function seal(root: string, entries: Entry[]): Promise<void> {
  const owner = process.getuid?.() === 0 ? 0 : undefined;
  const all = [{ path: '', kind: 'folder', executable: false }, ...entries];
  await eachOf(all, async ({ path, kind, executable }) => {
    const file = join(root, path);
    if (owner !== undefined) await lchown(file, owner, owner);
    if (kind === 'folder') await chmod(file, 0o755);
    else if (kind === 'file') await chmod(file, executable ? 0o555 : 0o444);
  });
}

/** Maps with limited concurrency, in order. */
async function eachOf<Item, Result>(
  items: Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

const PROJECT = '/project';
const leaves = (path: string, target: string): boolean =>
  !`${resolve(PROJECT, dirname(path), target)}/`.startsWith(`${PROJECT}/`);
