import { mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Where the images of a deployment are kept. Nothing of another deployment can be reached from here; blobs that several
 * have are one file on the disk, by a hard link in `pool`.
 */
export class ImageFolders {
  /** Everything of this deployment. */
  readonly deployment: string;
  /** Every blob of the registry, by its digest. */
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

  /** What is on its way. */
  get uploads(): string {
    return join(this.deployment, 'uploads');
  }

  /** One file for each tag of a repository, which holds a digest. */
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

  /** Bytes the deployment's images take, those on their way too. */
  async used(): Promise<number> {
    let bytes = 0;
    for (const folder of [this.blobs, this.manifests, this.uploads])
      for (const { size } of await filesOf(folder)) bytes += size;
    return bytes;
  }
}

/** Files of a folder that may not be there. */
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
