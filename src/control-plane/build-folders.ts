import { existsSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';

/**
 * The control plane's folders, shared by the API, builders and data plane of a machine. Artifacts are moved into
 * place, so everything is on one file system.
 */
export class BuildFolders {
  readonly root: string;

  constructor(dataDir: string) {
    this.root = resolve(dataDir);
  }

  /** Artifacts by content address. */
  get artifacts(): string {
    return join(this.root, 'artifacts');
  }

  /** One folder per build attempt, removed afterwards. */
  get work(): string {
    return join(this.root, 'builds');
  }

  /** Package caches by deployment. */
  get caches(): string {
    return join(this.root, 'build-caches');
  }

  /** Archives by deployment. */
  get uploads(): string {
    return join(this.root, 'uploads');
  }

  /** Host keys of known git servers. */
  get knownHosts(): string {
    return join(this.root, 'known_hosts');
  }
}

/** Folder of an artifact (`sha256:…`). Throws for an invalid digest. */
export function artifactFolder(dataDir: string, artifact: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(artifact)) throw new Error('not the digest of an artifact');
  return join(new BuildFolders(dataDir).artifacts, artifact.replace(':', '-'));
}

/** A path inside the artifact; undefined if it escapes, also through a folder that is a link. */
export function pathInArtifact(dir: string, path = '.'): string | undefined {
  const found = resolve(dir, path);
  const isInside =
    isWithin(dir, found) && (!existsSync(found) || isWithin(realpathSync(dir), realpathSync(found)));
  return isInside ? found : undefined;
}

const isWithin = (dir: string, path: string): boolean => path === dir || path.startsWith(dir + sep);
