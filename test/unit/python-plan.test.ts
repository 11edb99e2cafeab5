import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { findGraphConfig } from '../../src/control-plane/builds/graph-config.ts';
import { planPython } from '../../src/control-plane/builds/python/python-plan.ts';
import { writeFiles } from '../control-plane/build-setting.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-python-plan-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function plan(files: Record<string, string>, config: object = {}, dir = '.') {
  const source = mkdtempSync(join(root, 'project-'));
  const path = join(dir, 'langgraph.json');
  writeFiles(source, { [path]: JSON.stringify({ graphs: { a: './a.py:g' }, ...config }), ...files });
  return planPython(source, await findGraphConfig(source, path));
}

const PROJECT = '[project]\nname = "a"\nrequires-python = ">=3.11"\n';
const PACKAGE = `${PROJECT}[build-system]\nbuild-backend = "hatchling.build"\n`;

test.each([
  ['a package', { 'pyproject.toml': PACKAGE }, ['.'], ['-e', './.']],
  ['a package with setup.py', { 'setup.py': '' }, ['.'], ['-e', './.']],
  ['a project without a build system', { 'pyproject.toml': PROJECT }, ['.'], ['-r', './pyproject.toml']],
  ['one with sources', { 'pyproject.toml': PROJECT, 'src/a.py': '' }, ['.'], ['-e', './.']],
  [
    'settings of tools alone',
    { 'pyproject.toml': '[tool.ruff]', 'requirements.txt': '' },
    ['.'],
    ['-r', './requirements.txt'],
  ],
  ['a list of packages', { 'requirements.txt': 'x' }, undefined, ['-r', './requirements.txt']],
  ['modules alone', { 'a.py': '' }, ['.'], []],
  [
    'other folders',
    { 'b/setup.py': '', 'c/requirements.txt': '' },
    ['./b', 'c'],
    ['-e', './b', '-r', './c/requirements.txt'],
  ],
  [
    'packages by name',
    {},
    ['x>=1', 'y @ git+https://example.com/y'],
    ['x>=1', 'y @ git+https://example.com/y'],
  ],
])('%s: what is installed', async (_what, files, dependencies, requirements) => {
  expect((await plan(files, { dependencies })).requirements).toEqual(requirements);
});

test("paths are relative to the config file's folder", async () => {
  const planned = await plan(
    { 'one/pyproject.toml': PACKAGE, 'shared/setup.py': '' },
    { dependencies: ['.', '../shared'] },
    'one',
  );
  expect(planned).toMatchObject({
    environment: 'one/.venv',
    requirements: ['-e', './one', '-e', './shared'],
  });
});

test.each([
  [{ python_version: '3.12' }, { '.python-version': '3.13\n' }, '3.12', 'python_version'],
  [{}, { '.python-version': '3.13\n', 'pyproject.toml': PROJECT }, '3.13', '.python-version'],
  [{}, { 'pyproject.toml': PROJECT }, '>=3.11', 'requires-python'],
  [{}, {}, '>=3.10', undefined],
])('%j with %j runs on Python %s', async (config, files, version, askedBy) => {
  const planned = await plan(files, config);
  expect([planned.version, planned.askedBy]).toEqual([version, askedBy]);
});

const LOCK = '[[package]]\nname = "a"\nsource = { editable = "." }\n';

test.each([
  ['a lock', { 'pyproject.toml': PACKAGE, 'uv.lock': LOCK }, true],
  ['a lock of a project that is no package', { 'pyproject.toml': PROJECT, 'uv.lock': LOCK }, true],
  [
    'a lock that names another folder',
    { 'pyproject.toml': PACKAGE, 'uv.lock': `${LOCK}source = { editable = "b" }` },
    false,
  ],
  ['a lock beside setup.py', { 'pyproject.toml': PACKAGE, 'uv.lock': LOCK, 'setup.py': '' }, false],
  [
    'a lock with code that builds',
    { 'pyproject.toml': `${PACKAGE}[tool.hatch.build.hooks.custom]`, 'uv.lock': LOCK },
    false,
  ],
  [
    'a lock with an unknown build system',
    { 'pyproject.toml': PACKAGE.replace('hatchling.build', 'own'), 'uv.lock': LOCK },
    false,
  ],
])('%s: whether the packages are kept for the next build', async (_what, files, isKept) => {
  const planned = await plan(files);
  expect(planned).toMatchObject({ locked: '.', requirements: [], warnings: [] });
  expect(planned.key !== undefined).toBe(isKept);
});

test('extra packages and missing locks prevent caching', async () => {
  const locked = { 'pyproject.toml': PACKAGE, 'uv.lock': LOCK };
  expect(await plan(locked, { dependencies: ['.', 'x'] })).toMatchObject({
    locked: '.',
    requirements: ['x'],
  });
  expect((await plan(locked, { dependencies: ['.', 'x'] })).key).toBeUndefined();
  const unlocked = await plan({ 'pyproject.toml': PACKAGE });
  expect(unlocked.key).toBeUndefined();
  expect(unlocked.warnings).toEqual([expect.stringContaining('There is no uv.lock')]);
});

test.each([
  [{ pip_config_file: 'pip.conf' }, 'pip'],
  [{ pip_config_file: 'pip.conf', pip_installer: 'uv' }, 'pip'],
  [{ pip_installer: 'pip' }, 'pip'],
  [{ pip_installer: 'auto' }, 'uv'],
  [{}, 'uv'],
])('%j is installed by %s', async (config, installer) => {
  expect(await plan({ 'pip.conf': '' }, config)).toMatchObject({ installer });
});

test.each([
  [{ python_version: 'snake' }, 'python_version must be like "3.12", not "snake"'],
  [{ pip_installer: 'conda' }, 'pip_installer must be auto, uv or pip, not "conda"'],
  [{ pip_config_file: './pip.conf' }, 'no such file: ./pip.conf (pip_config_file)'],
  [{ dependencies: ['../other'] }, "dependencies: '../other' is outside the project"],
  [{ dependencies: ['--pre'] }, "dependencies: '--pre' is not a package"],
  [{ python_version: 3.1 }, 'python_version must be like "3.12", not 3.1'],
  [{ dependencies: 'x' }, 'dependencies must be a list of packages and folders, not "x"'],
])('%j is refused', async (config, why) => {
  await expect(plan({}, config)).rejects.toThrow(`langgraph.json: ${why}`);
});
