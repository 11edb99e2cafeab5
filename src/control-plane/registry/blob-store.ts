import { link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ImageFolders } from './image-folders.ts';

/** Size in bytes; undefined for a blob the deployment does not have. What was asked for is young again. */
export async function findBlob(folders: ImageFolders, digest: string): Promise<number | undefined> {
  const file = folders.blob(digest);
  const found = await stat(file).catch(() => undefined);
  if (!found) return undefined;
  await touch(file);
  return found.size;
}

/** Moves a whole and checked file to where the blob of this digest belongs. */
export async function adoptBlob(folders: ImageFolders, file: string, digest: string): Promise<void> {
  const target = folders.blob(digest);
  const pooled = join(folders.pool, basename(target));
  await mkdir(folders.blobs, { recursive: true });
  try {
    // The same bytes that another deployment has take no room twice.
    await link(pooled, target);
    await rm(file, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') await rm(file, { force: true });
    else {
      // One that cannot be shared is kept all the same.
      await link(file, pooled).catch(() => {});
      await rename(file, target);
    }
  }
  await touch(target);
}

/** Nothing that looks for what is not used removes it for a while. */
async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => {});
}
