import { join, resolve, sep } from 'node:path';

/**
 * Where the control plane keeps files. API, builders and the data plane of a machine share the folder; artifacts are
 * made in it and moved into place, so all of it lies on one file system.
 */
export class BuildFolders {
  readonly root: string;

  constructor(dataDir: string) {
    this.root = resolve(dataDir);
  }

  /** Artifacts by their content address. */
  get artifacts(): string {
    return join(this.root, 'artifacts');
  }

  /** One folder for each attempt at a build, gone when the attempt is over. */
  get work(): string {
    return join(this.root, 'builds');
  }

  /** What a deployment's next build need not fetch again, by deployment. */
  get caches(): string {
    return join(this.root, 'build-caches');
  }

  /** Archives by deployment. */
  get uploads(): string {
    return join(this.root, 'uploads');
  }

  /** Host keys of the git servers that were asked once. */
  get knownHosts(): string {
    return join(this.root, 'known_hosts');
  }
}

/**
 * Folder of an artifact (`sha256:…`): the project with all it needs, as it was built. Throws for what is no digest.
 */
export function artifactFolder(dataDir: string, artifact: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(artifact)) throw new Error('not the digest of an artifact');
  return join(new BuildFolders(dataDir).artifacts, artifact.replace(':', '-'));
}

/** A path a revision names inside its artifact; undefined when it leads out of it. */
export function pathInArtifact(dir: string, path = '.'): string | undefined {
  const found = resolve(dir, path);
  return found === dir || found.startsWith(dir + sep) ? found : undefined;
}
