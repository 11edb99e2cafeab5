import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lchown, lstat, mkdir, readdir, readFile, readlink, rename, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { BuildFailed } from '../errors.ts';
import { artifactFolder, type BuildFolders } from './build-folders.ts';

const AT_ONCE = 16;
const READ_WHOLE_BYTES = 1024 * 1024;

interface Entry {
  path: string;
  kind: 'file' | 'folder' | 'link';
  executable: boolean;
  size: number;
  /** Of a file, a digest of what it holds; of a link, where it leads. */
  content: string;
}

/**
 * Moves a finished project into the store and returns its address: `sha256:` of every path, what is there and whether
 * it may be executed, in the order of the paths. The same project is stored once. Throws BuildFailed when it is larger
 * than `limit` bytes.
 */
export async function storeArtifact(
  folders: BuildFolders,
  project: string,
  { limit, warn, signal }: { limit: number; warn(line: string): void; signal: AbortSignal },
): Promise<string> {
  const entries = await readTree(project, signal);
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  if (size > limit) throw new BuildFailed(`The artifact would be ${size} bytes large; ${limit} are allowed`);
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
  await seal(project, entries);
  const folder = artifactFolder(folders.root, artifact);
  await mkdir(folders.artifacts, { recursive: true });
  try {
    await rename(project, folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  // Young again: what looks for artifacts that nothing uses leaves it alone until the revision names it.
  const now = new Date();
  await utimes(folder, now, now);
  return artifact;
}

/** The address of what is in a folder: that of the artifact, when it is one. */
export const artifactAddress = async (folder: string): Promise<string> =>
  addressOf(await readTree(folder, new AbortController().signal));

function addressOf(entries: Entry[]): string {
  const hash = createHash('sha256');
  for (const { path, kind, executable, content } of entries)
    hash.update(`${JSON.stringify([path, kind, executable, content])}\n`);
  return `sha256:${hash.digest('hex')}`;
}

/** Everything below a folder, sorted by path; links are not followed. */
async function readTree(root: string, signal: AbortSignal): Promise<Entry[]> {
  const found = await readdir(root, { withFileTypes: true, recursive: true });
  const paths = found.map((entry) => join(entry.parentPath, entry.name));
  const entries = await eachOf(paths, (path) => {
    signal.throwIfAborted();
    return readEntry(root, path);
  });
  return entries.filter((entry) => entry !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function readEntry(root: string, file: string): Promise<Entry | undefined> {
  const path = relative(root, file);
  const stats = await lstat(file);
  const entry = { path, executable: false, size: 0, content: '' };
  if (stats.isDirectory()) return { ...entry, kind: 'folder' };
  if (stats.isSymbolicLink()) return { ...entry, kind: 'link', content: await readlink(file) };
  // Sockets and pipes that a build left behind.
  if (!stats.isFile()) return undefined;
  return {
    ...entry,
    kind: 'file',
    executable: (stats.mode & 0o100) !== 0,
    size: stats.size,
    content: await digestOf(file, stats.size),
  };
}

/** Most files are small, and read at once in a third of the time. */
async function digestOf(file: string, size: number): Promise<string> {
  const hash = createHash('sha256');
  if (size <= READ_WHOLE_BYTES) return hash.update(await readFile(file)).digest('hex');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The platform's own, to be read by everyone and changed by nobody. */
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

/** The results of the same work on each of many, a few at a time, in their order. */
async function eachOf<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

const PROJECT = '/project';
const leaves = (path: string, target: string): boolean =>
  !`${resolve(PROJECT, dirname(path), target)}/`.startsWith(`${PROJECT}/`);
