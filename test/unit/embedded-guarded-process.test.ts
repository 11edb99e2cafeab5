import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GuardedProcess, spawnGuarded } from '../../src/platform/embedded/guarded-process.ts';
import { keepRunning } from '../../src/platform/embedded/keep-running.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'slipway-guarded-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A shell script as a guarded process; its output goes to `log` in the directory. */
async function guarded(script: string, graceSeconds = 60): Promise<GuardedProcess> {
  const log = await open(join(dir, 'log'), 'w');
  const command = { command: '/bin/sh', args: ['-c', script], cwd: dir, env: { PATH: process.env['PATH']! } };
  const child = await spawnGuarded({ ...command, log: log.fd, signal: 'TERM', graceSeconds }, async () => {});
  await log.close();
  return child;
}

const output = (expected: string): Promise<void> =>
  until(`the process writes ${expected}`, async () =>
    (await readFile(join(dir, 'log'), 'utf8')).includes(expected),
  );

const guardsOf = (pid: number) =>
  run('pgrep', ['-f', `slipway-guard ${pid} `]).then(
    ({ stdout }) => stdout.trim().split('\n').map(Number),
    () => [],
  );

test('the command runs under the announced pid, and its end is reported', async () => {
  const child = await guarded('echo $$; exit 3');
  expect(await child.ended).toBe('code 3');
  expect(await readFile(join(dir, 'log'), 'utf8')).toBe(`${child.pid}\n`);
});

test('stop sends a signal and leaves no guard behind', async () => {
  const child = await guarded(`trap 'echo asked; exit' TERM; echo ready; while :; do sleep 0.05; done`);
  await output('ready');
  await child.stop();
  expect(await child.ended).toBe('code 0');
  await output('asked');
  await until('its guard is gone', async () => (await guardsOf(child.pid)).length === 0);
});

test('a process that ignores the signal is killed after the grace period', async () => {
  const child = await guarded(`trap '' TERM; echo ready; while :; do sleep 0.05; done`, 1);
  await output('ready');
  await child.stop();
  expect(await child.ended).toBe('SIGKILL');
});

test('a killed guard is replaced', async () => {
  const child = await guarded('sleep 30');
  const [guard, ...others] = await guardsOf(child.pid);
  expect([guard, others]).toEqual([expect.any(Number), []]);
  process.kill(guard!, 'SIGKILL');
  await until('another guards it', async () => {
    const guards = await guardsOf(child.pid);
    return guards.length === 1 && guards[0] !== guard;
  });
  await child.stop();
});

test('a service that ends or fails to start is restarted until it is stopped', async () => {
  const messages: string[] = [];
  let starts = 0;
  const launch = () => {
    starts++;
    return starts === 2 ? Promise.reject(new Error('no luck')) : guarded('sleep 30');
  };
  let current: GuardedProcess | undefined;
  const service = await keepRunning(
    'Sleeper',
    async () => (current = await launch()),
    (line) => messages.push(line),
  );
  process.kill(current!.pid, 'SIGKILL');
  await until('it is back', () => messages.includes('Sleeper is running again'));
  expect(messages).toEqual([
    'Sleeper ended unexpectedly (SIGKILL), restarting it',
    'Sleeper could not be restarted, retrying: no luck',
    'Sleeper is running again',
  ]);
  await service.stop();
  expect(await current!.ended).toBe('SIGTERM');
  expect(starts).toBe(3);
});
