import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { packageRoot } from '../src/platform/package-root.ts';

const at = (path: string): string => fileURLToPath(new URL(path, packageRoot));
const OUT = at('dist/console');
const STAMP = join(OUT, '.inputs');
const INPUTS = ['console', 'scripts/build-console.ts', 'package-lock.json'];
const COMPRESSED = /\.(?:js|css|html|svg)$/;
const BROTLI_QUALITY = 10;

/** A hash of all inputs of the build. */
async function hashInputs(): Promise<string> {
  const hash = createHash('sha256');
  for (const input of INPUTS)
    for (const file of await filesOf(at(input))) hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest('hex');
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!entries) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Compresses each file now, rather than on each request. */
async function compress(): Promise<void> {
  const files = (await filesOf(OUT)).filter((file) => COMPRESSED.test(file));
  await Promise.all(
    files.map(async (file) => {
      const content = await readFile(file);
      const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
      await writeFile(`${file}.gz`, await promisify(gzip)(content));
    }),
  );
}

const inputs = await hashInputs();
if ((await readFile(STAMP, 'utf8').catch(() => '')) !== inputs) {
  await build({ configFile: at('console/vite.config.ts') });
  await compress();
  await writeFile(STAMP, inputs);
}
