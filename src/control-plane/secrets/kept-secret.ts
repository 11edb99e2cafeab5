import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';

/** Reads a secret from the data directory, creating it on first use, readable by its owner only. */
export async function keptSecret(dataDir: string, name: string, make: () => string): Promise<string> {
  const path = join(dataDir, name);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Atomic, and the first of two processes wins.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, 'utf8')).trim();
}

/** Undefined when missing or unreadable. */
export const findKept = (dataDir: string, name: string): Promise<string | undefined> =>
  readFile(join(dataDir, name), 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );
