import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { useBuilds } from './build-setting.ts';
import { PYPROJECT, PYTHON_PROJECT } from './python-project.ts';

const { root, dataDir, build, repository } = useBuilds();
// Builds reuse the downloads of earlier builds.
const deployment_id = randomUUID();

const fails = (files: Record<string, string>) =>
  build({ source_config: { repo_url: repository(files).url, install_command: null }, deployment_id }).then(
    () => 'it was built',
    ({ name, message }: Error) => `${name}: ${message}`,
  );

test('a project with pyproject.toml becomes a relocatable artifact', async () => {
  const { url } = repository({ ...PYTHON_PROJECT, 'pyproject.toml': PYPROJECT });
  const source_config = { repo_url: url, install_command: null };
  const { artifact, lines } = await build({ source_config, deployment_id });
  expect(lines).toContain("graph 'agent' loads");
  const moved = join(root, 'moved');
  cpSync(artifactFolder(dataDir, artifact), moved, { recursive: true, verbatimSymlinks: true });
  const say = 'import agent; print(agent.graph.invoke({"said": ""})["said"])';
  const python = (...args: string[]) =>
    execFileSync(join(moved, '.venv/bin/python'), args, { cwd: moved, encoding: 'utf8' }).trim();
  expect(python('-c', say)).toBe('hi');
  expect(python('-c', 'import tools.words; print(tools.words.__file__)')).toBe(
    join(moved, 'src/tools/words.py'),
  );
  const script = execFileSync(join(moved, '.venv/bin/normalizer'), ['--version'], { encoding: 'utf8' });
  expect(script).toContain('Charset-Normalizer');
  const packages = join(moved, '.venv/lib', readdirSync(join(moved, '.venv/lib'))[0]!, 'site-packages');
  expect(readdirSync(join(packages, 'langgraph/graph/__pycache__'))).toContainEqual(
    expect.stringMatching(/^state\.cpython-.*\.pyc$/),
  );
});

test.each([
  [
    'a Python that is not there',
    { python_version: '3.7' },
    'BuildFailed: Python 3.7 (python_version) is not available',
  ],
  [
    'packages that contradict each other',
    { dependencies: ['langgraph', 'langgraph==0.0.0'] },
    /Installing Python packages ended with code 1\n.*langgraph==0\.0\.0/s,
  ],
])('%s fails the build with the words of uv', async (_what, more, why) => {
  const config = { ...(JSON.parse(PYTHON_PROJECT['langgraph.json']) as object), ...more };
  expect(await fails({ ...PYTHON_PROJECT, 'langgraph.json': JSON.stringify(config) })).toMatch(why);
});
