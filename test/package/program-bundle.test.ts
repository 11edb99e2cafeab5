import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { replaceFiles } from '../../scripts/replace-files.ts';
import { smallerProtocol } from '../../scripts/smaller-protocol.ts';
import { withoutWatchdog } from '../../scripts/without-watchdog.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

const folder = new URL('dist/bin/', packageRoot);
// The folder may also have files of earlier builds, for programs that run from here.
const built = JSON.parse(await readFile(new URL('.files.json', folder), 'utf8')) as string[];
const files = built.filter((name) => name.endsWith('.js'));
// A separate process, because it loads the compiler.
const isServer = (name: string) => name !== 'source-schemas.js';
const texts = await Promise.all(
  files.filter(isServer).map((name) => readFile(new URL(name, folder), 'utf8')),
);

const found = (pattern: RegExp): string[] =>
  texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name]) => name!));

test('a start loads nothing outside the bundle, as a package is hundreds of files', () => {
  const imported = found(/^import [^;]*?"([^".][^"]*)";$/gm);
  expect(imported).toContain('node:path');
  expect(imported.filter((name) => !isBuiltin(name))).toEqual([]);
});

test('the program holds no compiler', () => {
  const packages = new Set(found(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm));
  expect(packages).toContain('@temporalio/worker');
  expect([...packages].filter((name) => /webpack|swc|esbuild|typescript|tsx/.test(name))).toEqual([]);
});

test('a build fails when the call with the time limit is not found exactly once', () => {
  const call = 'callIntoVmScript.runInContext(context, {\n  timeout: isolateExecutionTimeoutMs,\n});';
  expect(withoutWatchdog(call)).not.toMatch('timeout');
  expect(() => withoutWatchdog(call + call)).toThrow('found 2');
  expect(() => withoutWatchdog('')).toThrow('found 0: adapt scripts/without-watchdog.ts');
});

test('a build fails when Temporal no longer declares its cloud as expected', () => {
  const api = (nested: object) => ({ temporal: { nested: { api: { nested } } } });
  const declaring = (root: object) =>
    `root\n.addJSON(${JSON.stringify(root, null, 2)});\nmodule.exports = root;`;
  const smaller = smallerProtocol(declaring(api({ cloud: {}, common: { '$&': "it's" } })));
  const declared = JSON.stringify(JSON.stringify(api({ common: { '$&': "it's" } })));
  expect(smaller).toBe(`root\n.addJSON(JSON.parse(${declared}));\nmodule.exports = root;`);
  expect(() => smallerProtocol(declaring(api({})))).toThrow('adapt scripts/smaller-protocol.ts');
  const user = { type: 'temporal.api.cloud.v1.User' };
  expect(() => smallerProtocol(declaring(api({ cloud: {}, user })))).toThrow('refers to its cloud');
});

test('the source map of the workflows holds positions only, as each worker reads it', async () => {
  const bundle = await readFile(new URL('dist/workflow-bundle.js', packageRoot), 'utf8');
  const [, encoded = ''] = /base64,(\S+)\s*$/.exec(bundle)!;
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as object;
  expect(map).toMatchObject({ version: 3, mappings: expect.stringMatching(/\w/) });
  expect(map).not.toHaveProperty('sourcesContent');
});

test('a build keeps files of the previous one for a day', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-build-'));
  const build = (...names: string[]) =>
    replaceFiles(
      dir,
      names.map((name) => ({ path: `/anywhere/${name}`, contents: Buffer.from(name) })),
    );
  const held = async () => (await readdir(dir)).filter((name) => !name.startsWith('.')).sort();
  const [first, second] = ['chunk-AAAAAAAA.js', 'chunk-BBBBBBBB.js'];
  const longAgo = new Date(Date.now() - 100 * 86_400_000);
  await build(first, 'slipway.js');
  await utimes(join(dir, first), longAgo, longAgo);
  await build(second, 'slipway.js');
  expect(await held()).toEqual([first, second, 'slipway.js']);
  await utimes(join(dir, first), longAgo, longAgo);
  await build(second, 'slipway.js');
  expect(await held()).toEqual([second, 'slipway.js']);
  await rm(dir, { recursive: true });
});
