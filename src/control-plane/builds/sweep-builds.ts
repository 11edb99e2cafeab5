import { randomUUID } from 'node:crypto';
import { lstat, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { sweepImages } from '../registry/sweep-images.ts';
import { artifactFolder, BuildFolders } from './build-folders.ts';
import { removeTree } from './remove-tree.ts';
import { listArtifactsInUse, listUploadsInUse, releaseArtifacts, releaseImages } from './build-references.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CACHE_DAYS = 14;

/** What was removed, by kind. */
export interface Swept {
  work: number;
  artifacts: number;
  uploads: number;
  caches: number;
  /** Files of the registry. */
  images: number;
  /** Revisions whose artifact, or pushed image, is kept no longer. */
  released: number;
}

/**
 * Removes what builds left behind: work folders of attempts that died, artifacts that no revision names, those a
 * deployment has too many of, uploads that none can be built of, packages that no build has used for two weeks, and
 * pushed images that no revision is made of. It may run anywhere, and twice at once.
 */
export async function sweepBuilds(
  db: Queryable,
  config: ControlPlaneSettings,
  now = Date.now(),
): Promise<Swept> {
  const folders = new BuildFolders(config.SLIPWAY_DATA_DIR);
  const attemptMs = 2 * config.SLIPWAY_BUILD_TIMEOUT_SECONDS * 1000;
  const swept = {
    work: await removeAll(await olderThan(folders.work, now - attemptMs)),
    artifacts: await sweepArtifacts(db, folders, now - HOUR_MS),
    uploads: await sweepUploads(db, folders, now - DAY_MS),
    caches: await sweepCaches(folders, now - CACHE_DAYS * DAY_MS),
    images: await sweepImages(db, folders.root, now - DAY_MS),
  };
  // After the files of those let go by the turn before.
  const kept = config.SLIPWAY_KEPT_ARTIFACTS;
  return { ...swept, released: (await releaseArtifacts(db, kept)) + (await releaseImages(db, kept)) };
}

async function sweepArtifacts(
  db: Queryable,
  { root, artifacts }: BuildFolders,
  before: number,
): Promise<number> {
  // Read from the disk first: what is stored meanwhile is too young to be looked at.
  const old = await olderThan(artifacts, before);
  const used = new Set((await listArtifactsInUse(db)).map((artifact) => artifactFolder(root, artifact)));
  let removed = 0;
  for (const folder of old.filter((path) => !used.has(path))) {
    const aside = join(artifacts, `removed-${randomUUID()}`);
    await rename(folder, aside);
    // A build that finished a moment ago made the same, and counts on it.
    if ((await lstat(aside)).mtimeMs >= before) await rename(aside, folder);
    else removed += await removeAll([aside]);
  }
  return removed;
}

async function sweepUploads(db: Queryable, { root, uploads }: BuildFolders, before: number): Promise<number> {
  const used = new Set((await listUploadsInUse(db)).map((path) => join(root, path)));
  let removed = 0;
  for (const deployment_id of await list(uploads)) {
    const old = await olderThan(join(uploads, deployment_id), before);
    removed += await removeAll(old.filter((path) => !used.has(path)));
  }
  return removed;
}

async function sweepCaches({ caches }: BuildFolders, before: number): Promise<number> {
  let removed = 0;
  for (const deployment_id of await list(caches)) {
    removed += await removeAll(await olderThan(join(caches, deployment_id, 'packages'), before));
    const kept = await olderThan(join(caches, deployment_id), before);
    removed += await removeAll(kept.filter((path) => basename(path) === 'downloads'));
  }
  return removed;
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function olderThan(folder: string, before: number): Promise<string[]> {
  const paths = (await list(folder)).map((name) => join(folder, name));
  const stats = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.filter((_path, index) => (stats[index]?.mtimeMs ?? before) < before);
}

async function removeAll(paths: string[]): Promise<number> {
  for (const path of paths) await removeTree(path);
  return paths.length;
}
