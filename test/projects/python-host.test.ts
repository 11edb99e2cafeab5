import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { redact } from '../../src/platform/redaction/redact.ts';
import { HARMLESS_MESSAGES, SECRET_MESSAGES } from '../support/error-corpus.ts';
import { hostPython } from '../support/python-project.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('python/', packageRoot));
const tests = fileURLToPath(new URL('test/projects/python_host/', packageRoot));

// Projects with the graphs of the tests, the examples and the benchmark.
const OTHERS = ['test/fixtures', 'test/unit', 'examples', 'bench'].map((path) => `../${path}`);
const RUFF = ['--no-cache', '--config', 'pyproject.toml', '.', ...OTHERS];

let python: string;
let scratch: string;
beforeAll(async () => {
  python = await hostPython();
  scratch = await mkdtemp(join(tmpdir(), 'python-host-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Output and exit code of a Python module. */
async function pythonModule(args: string[], env: Record<string, string> = {}) {
  const options = { cwd: folder, env: { ...process.env, PYTHONPATH: folder, ...env } };
  const ended = run(python, ['-m', ...args], options).then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  const { stdout, stderr, code } = await ended;
  return { output: stdout + stderr, code };
}

test('the parts of the Python host', async () => {
  const messages = [...SECRET_MESSAGES.map(([message]) => message), ...HARMLESS_MESSAGES];
  const corpus = join(scratch, 'corpus.json');
  await writeFile(corpus, JSON.stringify(messages.map((message) => [message, redact(message)])));
  const { output, code } = await pythonModule(['unittest', 'discover', '-s', tests, '-t', tests], {
    REDACTION_CORPUS: corpus,
    PYTHONDONTWRITEBYTECODE: '1',
  });
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/Ran \d{2,} tests/) });
});

test.each([
  ['types', ['mypy', '--cache-dir', '/dev/null']],
  ['style', ['ruff', 'check', ...RUFF]],
  ['formatting', ['ruff', 'format', '--check', ...RUFF]],
])('its %s', async (_, args) => {
  const { output, code } = await pythonModule(args);
  expect({ code, output }).toEqual({ code: 0, output: expect.any(String) });
});
