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

test('a lock that is held is refused, and one that was released is not', async () => {
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

test('of many who find a stale lock, one gets it', async () => {
  await writeFile(lockFile(), 'stale');
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
  const locks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(locks).toHaveLength(1);
  await locks[0]!.release();
});

test('a process is alive under its own identity only, and until it ends', async () => {
  const child = spawn('sleep', ['30']);
  const pid = child.pid!;
  const record = { pid, identity: (await processIdentity(pid))! };
  expect(await isAlive(record)).toBe(true);
  expect(await isAlive({ pid, identity: (await processIdentity(process.pid))! })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isAlive(record)).toBe(false);
});
