import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GuardedProcess, spawnGuarded } from '../../src/platform/embedded/guarded-process.ts';
import { keepRunning } from '../../src/platform/embedded/keep-running.ts';

const run = promisify(execFile);
let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'slipway-guarded-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A shell script as a guarded process; its output goes to `log` in the directory. */
async function guarded(script: string, graceSeconds = 5): Promise<GuardedProcess> {
  const log = await open(join(dir, 'log'), 'w');
  const command = { command: '/bin/sh', args: ['-c', script], cwd: dir, env: { PATH: process.env['PATH']! } };
  const child = await spawnGuarded({ ...command, log: log.fd, signal: 'TERM', graceSeconds }, async () => {});
  await log.close();
  return child;
}

async function output(expected: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++, await sleep(20)) {
    if ((await readFile(join(dir, 'log'), 'utf8')).includes(expected)) return;
  }
  throw new Error(`The process never wrote ${expected}`);
}

const guardsOf = (pid: number) =>
  run('pgrep', ['-f', `slipway-guard ${pid} `]).then(
    ({ stdout }) => stdout.trim().split('\n').map(Number),
    () => [],
  );

test('the command runs under the pid that was announced, and its end is told', async () => {
  const child = await guarded('echo $$; exit 3');
  expect(await child.ended).toBe('code 3');
  expect(await readFile(join(dir, 'log'), 'utf8')).toBe(`${child.pid}\n`);
});

test('stop asks by signal, and leaves no guard behind', async () => {
  const child = await guarded(`trap 'echo asked; exit' TERM; echo ready; while :; do sleep 0.05; done`);
  await output('ready');
  await child.stop();
  expect(await child.ended).toBe('code 0');
  await output('asked');
  await sleep(50);
  expect(await guardsOf(child.pid)).toEqual([]);
});

test('one that ignores the signal is killed after its grace', async () => {
  const child = await guarded(`trap '' TERM; echo ready; while :; do sleep 0.05; done`, 1);
  await output('ready');
  await child.stop();
  expect(await child.ended).toBe('SIGKILL');
});

test('a killed guard is replaced', async () => {
  const child = await guarded('sleep 30');
  const [guard = 0] = await guardsOf(child.pid);
  process.kill(guard, 'SIGKILL');
  await sleep(300);
  const guards = await guardsOf(child.pid);
  expect(guards).toHaveLength(1);
  expect(guards[0]).not.toBe(guard);
  await child.stop();
});

test('a service that ends is started again until it is stopped, a failed start included', async () => {
  const said: string[] = [];
  let starts = 0;
  const launch = () => {
    starts++;
    return starts === 2 ? Promise.reject(new Error('no luck')) : guarded('sleep 30');
  };
  let current: GuardedProcess | undefined;
  const service = await keepRunning(
    'Sleeper',
    async () => (current = await launch()),
    (line) => said.push(line),
  );
  process.kill(current!.pid, 'SIGKILL');
  while (!said.includes('Sleeper is back')) await sleep(20);
  expect(said).toEqual([
    'Sleeper ended unexpectedly (SIGKILL), starting it again',
    'Sleeper did not come back, trying again: no luck',
    'Sleeper is back',
  ]);
  await service.stop();
  expect(await current!.ended).toBe('SIGTERM');
  expect(starts).toBe(3);
});
