import { link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ImageFolders } from './image-folders.ts';

/** Size in bytes; undefined if the deployment lacks the blob. Restarts the blob's retention. */
export async function findBlob(folders: ImageFolders, digest: string): Promise<number | undefined> {
  const file = folders.blob(digest);
  const found = await stat(file).catch(() => undefined);
  if (!found) return undefined;
  await touch(file);
  return found.size;
}

/** Moves a verified file to its digest's location. */
export async function adoptBlob(folders: ImageFolders, file: string, digest: string): Promise<void> {
  const target = folders.blob(digest);
  const pooled = join(folders.pool, basename(target));
  await mkdir(folders.blobs, { recursive: true });
  try {
    // Shares the bytes if another deployment has them.
    await link(pooled, target);
    await rm(file, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') await rm(file, { force: true });
    else {
      // Keeps a blob that can't be shared.
      await link(file, pooled).catch(() => {});
      await rename(file, target);
    }
  }
  await touch(target);
}

/** Protects the file from the sweep for a while. */
async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => {});
}
