import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lockDataDir } from '../../src/platform/embedded/data-dir-lock.ts';
import { isAlive, processIdentity } from '../../src/platform/embedded/process-identity.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'slipway-lock-'))));
afterAll(() => rm(dir, { recursive: true, force: true }));
const lockFile = () => join(dir, 'slipway.lock');

test('a held lock is refused, a released one is not', async () => {
  const lock = await lockDataDir(dir);
  await expect(lockDataDir(dir)).rejects.toThrow(`${dir} is in use by another Slipway (pid ${process.pid})`);
  await lock.release();
  await (await lockDataDir(dir)).release();
  expect(await readdir(dir)).toEqual([]);
});

test.each([
  ['of a process that is gone', () => ({ pid: 2 ** 22 + 1, identity: 'x' })],
  ['of an earlier process with the same pid', () => ({ pid: process.pid, identity: 'an earlier one' })],
  ['that holds no record', () => 'nonsense'],
])('a lock %s is taken over', async (_what, record) => {
  await writeFile(lockFile(), JSON.stringify(record()));
  const lock = await lockDataDir(dir);
  expect(JSON.parse(await readFile(lockFile(), 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
});

test('one of many contenders gets a stale lock', async () => {
  await writeFile(lockFile(), 'stale');
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
  const locks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(locks).toHaveLength(1);
  await locks[0]!.release();
});

test('a process counts as alive only with its own identity, until it ends', async () => {
  const child = spawn('sleep', ['30']);
  const pid = child.pid!;
  const record = { pid, identity: (await processIdentity(pid))! };
  expect(await isAlive(record)).toBe(true);
  expect(await isAlive({ pid, identity: (await processIdentity(process.pid))! })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isAlive(record)).toBe(false);
});
