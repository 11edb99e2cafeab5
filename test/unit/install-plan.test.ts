import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { planInstall } from '../../src/control-plane/builds/install-plan.ts';
import { writeFiles } from '../control-plane/build-setting.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-install-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function plan(files: Record<string, string>, dir = '.', command?: string) {
  const source = mkdtempSync(join(root, 'project-'));
  writeFiles(source, files);
  return planInstall(source, { dir }, command);
}

const MANIFEST = { 'package.json': '{"dependencies":{"a":"1"}}' };

test.each([
  ['package-lock.json', '{}', 'npm ci'],
  ['npm-shrinkwrap.json', '{}', 'npm ci'],
  ['pnpm-lock.yaml', 'lockfileVersion: 9', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', '# yarn lockfile v1', 'yarn install --frozen-lockfile'],
  ['yarn.lock', '#\n\n__metadata:\n  version: 8', 'yarn install --immutable'],
])('%s decides the command', async (name, content, command) => {
  const planned = await plan({ ...MANIFEST, [name]: content });
  expect(planned?.command).toContain(command);
  expect(planned?.key).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", undefined, 'pnpm@10.34.8'],
  ['pnpm-lock.yaml', "lockfileVersion: '6.0'", undefined, 'pnpm@8.15.9'],
  ['pnpm-lock.yaml', 'lockfileVersion: 5.4', undefined, 'pnpm@7.33.7'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'pnpm@9.15.0+sha512.abc', 'pnpm@9.15.0'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'yarn@4.1.0', 'pnpm@10.34.8'],
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'", 'pnpm@9.0.0;touch x', 'pnpm@10.34.8'],
  ['yarn.lock', '# yarn lockfile v1', undefined, 'yarn@1.22.22'],
  ['yarn.lock', '#\n\n__metadata:\n  version: 6', undefined, '@yarnpkg/cli-dist@3.8.6'],
  ['yarn.lock', '#\n\n__metadata:\n  version: 8', 'yarn@4.1.0', '@yarnpkg/cli-dist@4.1.0'],
])('%s (%s) with packageManager %s is installed by %s', async (name, content, packageManager, spec) => {
  const manifest = { dependencies: { a: '1' }, packageManager };
  const planned = await plan({ 'package.json': JSON.stringify(manifest), [name]: content });
  expect(planned?.tool?.spec).toBe(spec);
});

test('the lockfile at the root wins over the one next to the config file', async () => {
  const nested = { 'agent/package.json': MANIFEST['package.json'], 'agent/yarn.lock': '#' };
  expect(await plan(nested, 'agent')).toMatchObject({ cwd: 'agent' });
  expect(await plan({ ...nested, 'package-lock.json': '{}' }, 'agent')).toMatchObject({
    cwd: '.',
    command: 'npm ci',
  });
});

test('a given command wins over lockfiles, and is never cached', async () => {
  expect(await plan({ ...MANIFEST, 'yarn.lock': '#' }, '.', 'make')).toEqual({
    command: 'make',
    cwd: '.',
    isGiven: true,
  });
});

test('without a lockfile, packages are installed with a warning', async () => {
  expect(await plan(MANIFEST)).toMatchObject({
    command: 'npm install --no-package-lock',
    warning: expect.any(String),
  });
  expect(await plan({ 'package.json': '{"type":"module"}' })).toBeUndefined();
  expect(await plan({})).toBeUndefined();
});

test.each([
  [
    'scripts that may make files',
    { 'package.json': '{"scripts":{"postinstall":"make"}}', 'package-lock.json': '{}' },
  ],
  ['workspaces', { 'package.json': '{"workspaces":["a"]}', 'package-lock.json': '{}' }],
  ['a package that is a folder', { ...MANIFEST, 'package-lock.json': '{"node_modules/a":{"link": true}}' }],
  ['a package that is a file', { ...MANIFEST, 'yarn.lock': 'resolved "file:./a"' }],
])('%s keep the packages out of the cache', async (_what, files) => {
  expect((await plan(files as Record<string, string>))?.key).toBeUndefined();
});
