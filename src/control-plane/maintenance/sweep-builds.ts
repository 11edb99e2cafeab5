import { randomUUID } from 'node:crypto';
import { lstat, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Queryable } from '../../platform/db/database.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { sweepImages } from './sweep-images.ts';
import { artifactFolder, BuildFolders } from '../build-folders.ts';
import { removeTree } from '../builds/remove-tree.ts';
import {
  listArtifactsInUse,
  listUploadsInUse,
  releaseArtifacts,
  releaseImages,
} from '../builds/build-references.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CACHE_DAYS = 14;

/** Counts of what was removed. */
export interface Swept {
  work: number;
  artifacts: number;
  uploads: number;
  caches: number;
  /** Files of the registry. */
  images: number;
  /** Revisions whose artifact or image was released. */
  released: number;
}

/**
 * Removes leftovers of builds: work folders of dead attempts, unreferenced and surplus artifacts, unused uploads,
 * packages unused for two weeks, and unreferenced pushed images. Safe to run concurrently.
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
  // After their files, so that files released now stay until the next sweep.
  const kept = config.SLIPWAY_KEPT_ARTIFACTS;
  return { ...swept, released: (await releaseArtifacts(db, kept)) + (await releaseImages(db, kept)) };
}

async function sweepArtifacts(
  db: Queryable,
  { root, artifacts }: BuildFolders,
  before: number,
): Promise<number> {
  // Lists the disk first: files stored meanwhile are too young to be deleted.
  const old = await olderThan(artifacts, before);
  const used = new Set((await listArtifactsInUse(db)).map((artifact) => artifactFolder(root, artifact)));
  let removed = 0;
  for (const folder of old.filter((path) => !used.has(path))) {
    const aside = join(artifacts, `removed-${randomUUID()}`);
    await rename(folder, aside);
    // A concurrent build produced the same artifact and needs it.
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
