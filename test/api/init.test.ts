import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Client } from '@langchain/langgraph-sdk';
import { at } from '../support/agent-project.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { hostPython } from '../support/python-project.ts';
import { startSlipway } from '../support/slipway-command.ts';
import { useDatabase } from '../support/use-database.ts';

const run = promisify(execFile);
const database = useDatabase();
const folder = mkdtempSync(join(tmpdir(), 'slipway-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const init = (...args: string[]) => startSlipway(['init', '--no-install', ...args], {}, folder).ended;

test('init does not prompt without a terminal, and names the project after its folder', async () => {
  const { code, stdout } = await init('Order Desk');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `\nOrder Desk is ready. Next:\n\n  cd 'Order Desk'\n  npm install\n  slipway serve --watch\n\n`,
  });
  const made = join(folder, 'Order Desk');
  expect(readdirSync(made).sort()).toEqual(
    [
      '.env',
      '.env.example',
      '.gitignore',
      'README.md',
      'langgraph.json',
      'package.json',
      'src',
      'test',
    ].concat('tsconfig.json'),
  );
  const { name } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8')) as { name: string };
  expect(name).toBe('order-desk');
  expect(readFileSync(join(made, '.gitignore'), 'utf8')).toContain('.env\n');
  expect(readFileSync(join(made, 'README.md'), 'utf8')).toMatch(/^# order-desk\n/);
});

test('init does not touch files and non-empty folders', async () => {
  mkdirSync(join(folder, 'filled'));
  writeFileSync(join(folder, 'filled/notes.txt'), 'mine');
  expect(await init('filled')).toMatchObject({
    code: 2,
    stderr: 'slipway: filled is not empty; name a new folder\n',
  });
  expect(readdirSync(join(folder, 'filled'))).toEqual(['notes.txt']);
  expect(await init('filled/notes.txt')).toMatchObject({
    code: 2,
    stderr: 'slipway: filled/notes.txt is a file; name a new folder\n',
  });
  expect(readFileSync(join(folder, 'filled/notes.txt'), 'utf8')).toBe('mine');
});

describe.each([
  {
    language: 'TypeScript',
    flags: [],
    command: async () => [process.execPath, '--import', 'tsx', '--test', 'test/agent.test.ts'],
    passed: /^# pass 3$/m,
  },
  {
    language: 'Python',
    flags: ['--python'],
    command: async () => [await hostPython(), '-m', 'unittest', 'tests/test_agent.py'],
    passed: /^Ran 3 tests .*\n\nOK$/m,
  },
])('a new project in $language', ({ language, flags, command, passed }) => {
  const project = join(folder, language);

  test('passes its own tests without a network or a key', async () => {
    expect((await init(...flags, '--yes', project)).code).toBe(0);
    symlinkSync(at('node_modules'), join(project, 'node_modules'));
    const [program, ...args] = await command();
    const { stdout, stderr } = await run(program!, args, {
      cwd: project,
      env: { PATH: process.env['PATH'] },
    });
    expect(stdout + stderr).toMatch(passed);
  });

  test('serves an agent that calls a tool, and refunds only once a person approves', async () => {
    const env = language === 'Python' ? { SLIPWAY_PYTHON: await hostPython() } : {};
    const server = await startAgentServer({ databaseUrl: database.url, config: project, env });
    try {
      const client = new Client({ apiUrl: server.url });
      const ask = (content: string) => ({ input: { messages: [{ role: 'user', content }] } });
      const answered = await client.runs.wait(null, 'agent', ask('What is in order 1001?'));
      expect(answered).toMatchObject({
        messages: { length: 4, 3: { content: 'Order 1001 is a teapot for €24.' } },
      });

      const { thread_id } = await client.threads.create();
      const stopped = await client.runs.wait(thread_id, 'agent', ask('Refund order 1002, please'));
      expect(stopped).toMatchObject({
        __interrupt__: [{ value: { action: 'refund', order_id: '1002', amount: 12 } }],
      });
      expect(await client.threads.get(thread_id)).toMatchObject({ status: 'interrupted' });
      const resumed = await client.runs.wait(thread_id, 'agent', { command: { resume: true } });
      expect(resumed).toMatchObject({
        messages: { length: 4, 3: { content: 'Refunded €12 for order 1002.' } },
      });
      expect(server.logs()).not.toMatch(/"level":"(?:warn|error)"/);
    } finally {
      await server.end();
    }
  });
});
