import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

// Longer than any program takes to start or to end.
const KEPT_MS = 86_400_000;
// Files named by a hash of their content, which other files import.
const HASHED = /-[A-Z0-9]{8}\./;
/** List of the files last written to the folder, as JSON. */
const LIST = '.files.json';

/**
 * Replaces a folder's files while programs run from it. Each file is replaced atomically and after those it imports,
 * and old files stay for a day, for programs that have yet to import them.
 */
export async function replaceFiles(
  folder: string,
  files: { path: string; contents: Uint8Array }[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const put = async (name: string, contents: Uint8Array | string) => {
    await writeFile(join(folder, `${name}.new`), contents);
    await rename(join(folder, `${name}.new`), join(folder, name));
  };
  const named = files.map(({ path, contents }) => ({ name: basename(path), contents }));
  const isLast = ({ name }: { name: string }) => Number(!HASHED.test(name));
  for (const { name, contents } of named.toSorted((one, other) => isLast(one) - isLast(other)))
    await put(name, contents);
  const made = named.map(({ name }) => name);
  await removeOld(folder, new Set([...made, LIST]));
  await put(LIST, JSON.stringify(made));
}

async function removeOld(folder: string, kept: Set<string>): Promise<void> {
  const text = await readFile(join(folder, LIST), 'utf8').catch(() => '[]');
  const before = new Set(JSON.parse(text) as string[]);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (kept.has(name)) continue;
    // Its day starts now.
    if (before.has(name)) await utimes(path, new Date(), new Date());
    else if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { recursive: true });
  }
}
