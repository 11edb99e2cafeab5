import { mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Folders of a deployment's images. Other deployments are unreachable from here; shared blobs are hard links to one
 * file in `pool`.
 */
export class ImageFolders {
  /** Everything of this deployment. */
  readonly deployment: string;
  /** Every blob of the registry, by digest. */
  readonly pool: string;

  constructor(dataDir: string, deploymentId: string) {
    this.deployment = join(ImageFolders.deployments(dataDir), deploymentId);
    this.pool = ImageFolders.pool(dataDir);
  }

  static deployments(dataDir: string): string {
    return join(resolve(dataDir), 'registry', 'deployments');
  }

  static pool(dataDir: string): string {
    return join(resolve(dataDir), 'registry', 'blobs');
  }

  get blobs(): string {
    return join(this.deployment, 'blobs');
  }

  get manifests(): string {
    return join(this.deployment, 'manifests');
  }

  /** Unfinished uploads. */
  get uploads(): string {
    return join(this.deployment, 'uploads');
  }

  /** One file per tag, containing a digest. */
  tags(repository: string): string {
    return join(this.deployment, 'tags', repository.replaceAll('/', '@'));
  }

  get allTags(): string {
    return join(this.deployment, 'tags');
  }

  blob(digest: string): string {
    return join(this.blobs, digest.replace(':', '-'));
  }

  manifest(digest: string): string {
    return join(this.manifests, digest.replace(':', '-'));
  }

  async make(): Promise<void> {
    for (const folder of [this.pool, this.blobs, this.manifests, this.uploads])
      await mkdir(folder, { recursive: true });
  }

  /** Bytes used by the deployment, including unfinished uploads. */
  async used(): Promise<number> {
    let bytes = 0;
    for (const folder of [this.blobs, this.manifests, this.uploads])
      for (const { size } of await filesOf(folder)) bytes += size;
    return bytes;
  }
}

/** Files of a folder; empty if it doesn't exist. */
export async function filesOf(
  folder: string,
): Promise<{ path: string; name: string; size: number; mtimeMs: number; nlink: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      return stats && { path, name, size: stats.size, mtimeMs: stats.mtimeMs, nlink: stats.nlink };
    }),
  );
  return found.filter((file) => file !== undefined);
}
