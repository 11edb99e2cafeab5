import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';

const folder = new URL('dist/bin/', packageRoot);
const files = (await readdir(folder)).filter((name) => name.endsWith('.js'));
const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));

const found = (pattern: RegExp): string[] =>
  texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name]) => name!));

test('a start loads nothing from outside the bundle: a package is hundreds of files', () => {
  const imported = found(/^import [^;]*?"([^".][^"]*)";$/gm);
  expect(imported).toContain('node:path');
  expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
});

test('the program holds no compiler', () => {
  const packages = new Set(found(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm));
  expect(packages).toContain('@temporalio/worker');
  expect([...packages].filter((name) => /webpack|swc|esbuild|typescript|tsx/.test(name))).toEqual([]);
});
