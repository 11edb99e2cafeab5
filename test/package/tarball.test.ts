import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Running } from '../support/slipway-command.ts';
import { until } from '../support/until.ts';
import { sizeOf, useInstalledPackage } from './installed-package.ts';

const slipway = useInstalledPackage();
const LIMIT_BYTES = 30 * 2 ** 20;
const PATIENCE_MS = 600_000;

const started: Running[] = [];
afterAll(async () => {
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ ended }) => ended));
});

/** Starts a server in a folder and returns the address that it prints. */
async function serve(args: string[], cwd: string, address: RegExp): Promise<string> {
  const running = slipway.start([...args, '--port', '0'], cwd);
  started.push(running);
  const printed = () => address.exec(running.output())?.[1];
  await until(`slipway ${args[0]} is ready`, () => printed() !== undefined || isOver(running), PATIENCE_MS);
  if (!printed()) throw new Error(running.output());
  return printed()!;
}

const isOver = ({ child }: Running) => child.exitCode !== null || child.signalCode !== null;

async function order(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const messages = [{ role: 'user', content: 'What is in order 1001?' }];
  const answer = await fetch(`${url}/runs/wait`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'agent', input: { messages } }),
  });
  return answer.json();
}

const ANSWER = { messages: { 3: { content: 'Order 1001 is a teapot for €24.' } } };

test('the package is small and asks for production dependencies only', async () => {
  const manifest = JSON.parse(await readFile(join(slipway.root, 'package.json'), 'utf8'));
  expect(manifest.name).toBe('@slipway-dev/slipway');
  for (const left of ['devDependencies', 'scripts', 'overrides']) expect(manifest).not.toHaveProperty(left);
  expect(await sizeOf(slipway.root)).toBeLessThan(LIMIT_BYTES);
  for (const file of [
    'dist/console/index.html',
    'dist/workflow-bundle.js',
    'migrations/tracing/0001_runs.sql',
  ])
    await access(join(slipway.root, file));
  const packages = await readdir(join(slipway.root, 'node_modules'));
  for (const tool of ['jest', 'vite', 'oxlint', 'react', 'langsmith']) expect(packages).not.toContain(tool);
});

test('npx runs the file', async () => {
  const args = ['--yes', '--package', slipway.tarball, 'slipway', '--version'];
  const { code, stdout } = await slipway.run('npx', args, slipway.folder);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0.1.0\n' });
});

describe('a platform', () => {
  let platform: string;
  let folder: string;
  beforeAll(async () => {
    folder = join(slipway.folder, 'platform');
    await mkdir(folder);
    platform = await serve(['up'], folder, /^ +API +(http\S+)/m);
  }, PATIENCE_MS);

  describe.each([
    {
      language: 'TypeScript',
      flags: [],
      tests: ['npm', 'test'],
      passed: /^# pass 3$/m,
    },
    {
      language: 'Python',
      flags: ['--python'],
      tests: ['.venv/bin/python', '-m', 'unittest', 'tests/test_agent.py'],
      passed: /^Ran 3 tests .*\n\nOK$/m,
    },
  ])('and a new agent in $language', ({ language, flags, tests, passed }) => {
    const name = `${language.toLowerCase()}-agent`;
    const project = () => join(slipway.folder, name);

    test(
      'is served',
      async () => {
        const { code, stdout, stderr } = await slipway.start(
          ['init', name, '--yes', ...flags],
          slipway.folder,
        ).ended;
        expect({ code, stderr: /npm error/.exec(stderr) }).toEqual({ code: 0, stderr: null });
        expect(stdout).toContain(`cd ${name}\n  slipway serve --watch`);
        const url = await serve(['serve'], project(), /agent server ready at (http\S+?)"/);
        expect(await order(url)).toMatchObject(ANSWER);
      },
      PATIENCE_MS,
    );

    test('passes its own test', async () => {
      const [command, ...args] = tests;
      const { code, stdout, stderr } = await slipway.run(command!, args, project());
      expect(stdout + stderr).toMatch(passed);
      expect(code).toBe(0);
    });

    test(
      'is deployed',
      async () => {
        const running = slipway.start(['deploy'], project(), { SLIPWAY_URL: platform });
        const { code, stdout, stderr } = await running.ended;
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/ s {2}DEPLOYED\n/) });
        // No npm warnings about our settings, and no paths of the platform's folders.
        expect(stderr).not.toMatch(/Unknown env config|no such file: \//);
        const key = (await readFile(join(folder, '.slipway/api-key'), 'utf8')).trim();
        expect(await order(stdout.trim(), { 'x-api-key': key })).toMatchObject(ANSWER);
      },
      PATIENCE_MS,
    );
  });
});
