import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { useBuilds } from './build-setting.ts';
import { AGENT, PYPROJECT, PYTHON_PROJECT } from './python-project.ts';

const { dataDir, build, repository } = useBuilds();
// Builds reuse the downloads of earlier builds.
const deployment_id = randomUUID();

test('installs requirements.txt and listed packages, and Python along with JavaScript', async () => {
  const config = {
    dependencies: ['.', 'iniconfig==2.1.0'],
    graphs: { agent: './agent.py:graph' },
    pip_installer: 'pip',
    pip_config_file: 'pip.conf',
  };
  const { url } = repository({
    'langgraph.json': JSON.stringify(config),
    'agent.py': `import iniconfig\n${AGENT.replace('from tools.words import WORDS', 'WORDS = "hi"')}`,
    'requirements.txt': 'langgraph>=1,<2\n',
    'pip.conf': '[install]\nretries = 1\n',
    'package.json': JSON.stringify({ dependencies: { ms: '2.1.3' } }),
  });
  const { artifact, lines } = await build({
    source_config: { repo_url: url, install_command: null },
    deployment_id,
  });
  expect(lines).toEqual(
    expect.arrayContaining([
      "graph 'agent' loads",
      'Installing Python packages: pip.conf -r ./requirements.txt iniconfig==2.1.0',
    ]),
  );
  expect(existsSync(join(artifactFolder(dataDir, artifact), 'node_modules/ms/index.js'))).toBe(true);
});

test('an install command finds the environment and its tools; a uv.lock is installed, once', async () => {
  const { url, commit } = repository({ ...PYTHON_PROJECT, 'pyproject.toml': PYPROJECT });
  const install_command = 'uv sync --quiet && python -c "import sys; print(sys.prefix)"';
  const own = await build({ source_config: { repo_url: url, install_command }, deployment_id });
  expect(own.lines).toContain("graph 'agent' loads");
  expect(own.lines).toContainEqual(expect.stringMatching(/\/source\/\.venv$/));
  const lock = readFileSync(join(artifactFolder(dataDir, own.artifact), 'uv.lock'), 'utf8');
  commit({ 'uv.lock': lock });
  const source_config = { repo_url: url, install_command: null };
  const { lines } = await build({ source_config, deployment_id });
  expect(lines).toContain('Installing Python packages: uv.lock of .');
  const environment = { UV_DEFAULT_INDEX: 'http://127.0.0.1:9/', UV_PYTHON_DOWNLOADS: 'never' };
  const offline = await build({ source_config, deployment_id, environment });
  expect(offline.lines).toContain('Reusing the Python packages of an earlier build with the same uv.lock');
  commit({ 'pyproject.toml': PYPROJECT.replace('>=1,<2', '>=1.0.1,<2') });
  await expect(build({ source_config, deployment_id })).rejects.toThrow(
    /lockfile at `uv.lock` needs to be updated/,
  );
});

test('without a network, packages come from earlier builds', async () => {
  const { url } = repository({ ...PYTHON_PROJECT, 'pyproject.toml': PYPROJECT });
  const source_config = { repo_url: url, install_command: null };
  await build({ source_config, deployment_id });
  const environment = { ALL_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
  const { lines } = await build({ source_config, deployment_id, environment });
  expect(lines).toContain('The package index does not respond: trying packages of earlier builds');
  expect(lines).toContain("graph 'agent' loads");
});
