import { readdir, rename, rm, stat } from 'node:fs/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../../platform/db/database.ts';
import { isUuid } from '../../platform/ids.ts';
import { listImages } from '../builds/build-references.ts';
import { existingDeployments } from '../records/deployment-repository.ts';
import { filesOf, ImageFolders } from '../registry/image-folders.ts';
import { readManifest } from '../registry/manifest.ts';

/**
 * Deletes untagged images no revision uses, abandoned uploads, and everything of deleted deployments. Keeps files
 * younger than `before` (milliseconds since 1970), which may belong to a push. Returns how many files were deleted.
 */
export async function sweepImages(db: Queryable, dataDir: string, before: number): Promise<number> {
  const ids = (await readdir(ImageFolders.deployments(dataDir)).catch(() => [])).filter(isUuid);
  const there = new Set(await existingDeployments(db, ids));
  let removed = 0;
  for (const id of ids) {
    const folders = new ImageFolders(dataDir, id);
    if (there.has(id)) removed += await sweepDeployment(db, folders, id, before);
    else removed += await removeAll(folders);
  }
  const pool = await filesOf(ImageFolders.pool(dataDir));
  // Only the pool links to it.
  for (const { path, nlink, mtimeMs } of pool)
    if (nlink === 1 && mtimeMs < before) removed += await remove(path, before);
  return removed;
}

async function sweepDeployment(
  db: Queryable,
  folders: ImageFolders,
  id: string,
  before: number,
): Promise<number> {
  // Lists the disk first: files that arrive later are too young to be deleted.
  const files = [...(await filesOf(folders.blobs)), ...(await filesOf(folders.manifests))];
  const uploads = await filesOf(folders.uploads);
  const named = await listImages(db, id, { released: false });
  const released = (await listImages(db, id, { released: true })).filter((digest) => !named.includes(digest));
  let removed = 0;
  const tagged: string[] = [];
  for (const { path, mtimeMs } of await tagsOf(folders)) {
    const digest = await readFile(path, 'utf8').catch(() => undefined);
    // A tag for an image that only old revisions use doesn't keep it.
    if (digest && released.includes(digest) && mtimeMs < before) await rm(path, { force: true });
    else if (digest) tagged.push(digest);
  }
  const used = await usedFiles(folders, [...named, ...tagged]);
  for (const { path, mtimeMs } of [...files.filter(({ path }) => !used.has(path)), ...uploads])
    if (mtimeMs < before) removed += await remove(path, before);
  return removed;
}

async function tagsOf(folders: ImageFolders) {
  const repositories = await readdir(folders.allTags).catch(() => []);
  const files = await Promise.all(repositories.map((name) => filesOf(join(folders.allTags, name))));
  return files.flat();
}

/** All files that images with these digests consist of. */
async function usedFiles(folders: ImageFolders, digests: string[]): Promise<Set<string>> {
  const used = new Set<string>();
  const open = [...digests];
  for (let digest = open.pop(); digest !== undefined; digest = open.pop()) {
    const file = folders.manifest(digest);
    if (used.has(file)) continue;
    used.add(file);
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) continue;
    const { blobs, manifests } = readManifest(bytes);
    for (const blob of blobs) used.add(folders.blob(blob));
    open.push(...manifests);
  }
  return used;
}

/** Moves the file aside first: a concurrent request may have just reused it. */
async function remove(path: string, before: number): Promise<number> {
  const aside = `${path}.removed`;
  await rename(path, aside);
  if ((await stat(aside)).mtimeMs >= before) {
    await rename(aside, path);
    return 0;
  }
  await rm(aside, { force: true });
  return 1;
}

async function removeAll(folders: ImageFolders): Promise<number> {
  const files = [...(await filesOf(folders.blobs)), ...(await filesOf(folders.manifests))];
  await rm(folders.deployment, { recursive: true, force: true, maxRetries: 3 });
  return files.length;
}
