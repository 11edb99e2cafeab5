import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/platform/package-root.ts';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('node_modules/.cache/slipway-node/', packageRoot));

/** A folder with this version of a package and its dependencies, created once. Throws if it cannot be installed. */
export async function nodeEnvironment(name: string, version: string): Promise<string> {
  const folder = join(cache, `${name.replaceAll(/[^a-z-]/g, '_')}-${version}`);
  if (existsSync(folder)) return folder;
  // Created elsewhere and moved, so that an interrupted run leaves nothing that looks complete.
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    await writeFile(
      join(draft, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version } }),
    );
    // npm takes minutes to resolve its peer dependency ranges.
    const install = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', install, { cwd: draft, maxBuffer: 10_000_000 });
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
