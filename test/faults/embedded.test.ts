import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { Embedded } from '../../src/platform/embedded/embedded.ts';
import { isAlive, type ProcessRecord } from '../../src/platform/embedded/process-identity.ts';
import { ownPorts } from '../support/own-ports.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('embedded-process.ts', import.meta.url));

interface Slipway extends Omit<Embedded, 'stop'> {
  process: ChildProcess;
  /** Its output so far, except addresses. */
  output: string[];
}

/** Starts processes with embedded services; those still running are stopped after the test. */
function useSlipways() {
  const started: ChildProcess[] = [];
  const dirs: string[] = [];

  /** Resolves when it is ready; rejects with its last line if it ends instead. */
  async function start(dataDir: string): Promise<Slipway> {
    const child = spawn(process.execPath, ['--import', 'tsx', program, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    const output: string[] = [];
    const lines = createInterface({ input: child.stdout });
    return new Promise((resolve, reject) => {
      lines.on('line', (line) => {
        if (line.startsWith('{')) resolve({ ...(JSON.parse(line) as Embedded), process: child, output });
        else output.push(line);
      });
      lines.once('close', () => reject(new Error(output.at(-1))));
    });
  }

  async function stop({ process: child }: Slipway): Promise<void> {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async function dataDir(): Promise<string> {
    const dir = await mkdtemp(join(tmpdir(), 'slipway-embedded-'));
    dirs.push(dir);
    return dir;
  }

  /** A data directory whose services get their ports back after a restart. */
  async function keptDataDir(): Promise<string> {
    const dir = await dataDir();
    await ownPorts(dir);
    return dir;
  }

  afterEach(async () => {
    const living = started
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      living.map((child) => {
        child.kill('SIGTERM');
        return once(child, 'exit');
      }),
    );
  });
  afterAll(async () => {
    for (const dir of dirs) {
      const records = await children(dir).catch(() => []);
      for (const record of records) if (await isAlive(record)) process.kill(record.pid, 'SIGKILL');
      await rm(dir, { recursive: true, force: true });
    }
  });
  return { start, stop, dataDir, keptDataDir };
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

const services = ['postgres', 'temporal'];

async function children(dataDir: string): Promise<ProcessRecord[]> {
  const files = services.map((name) => readFile(join(dataDir, 'run', `${name}.json`), 'utf8'));
  return (await Promise.all(files)).map((text) => JSON.parse(text) as ProcessRecord);
}

const noneAlive = async (records: ProcessRecord[]) =>
  !(await Promise.all(records.map(isAlive))).some(Boolean);

const slipways = useSlipways();

test('a stopped Slipway leaves no process, and the next start finds its data', async () => {
  const dir = await slipways.keptDataDir();
  const first = await slipways.start(dir);
  await query(first.databaseUrl, 'create table kept (word text)');
  await query(first.databaseUrl, `insert into kept values ('here')`);
  const ran = await children(dir);
  await slipways.stop(first);
  expect(await noneAlive(ran)).toBe(true);

  const { databaseUrl, temporalAddress, temporalUiUrl } = first;
  const second = await slipways.start(dir);
  expect(second).toMatchObject({ databaseUrl, temporalAddress, temporalUiUrl });
  expect(await query(second.databaseUrl, 'select word from kept')).toEqual(['here']);
  const settings = `select setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`;
  expect(await query(second.databaseUrl, settings)).toEqual(['on', 'on', 'on']);
});

test('two can run in parallel, but not on the same data directory', async () => {
  const dirs = await Promise.all([slipways.dataDir(), slipways.dataDir()]);
  const [one, two] = await Promise.all(dirs.map((dir) => slipways.start(dir)));
  expect(one!.databaseUrl).not.toBe(two!.databaseUrl);
  expect(one!.temporalAddress).not.toBe(two!.temporalAddress);
  expect(one!.temporalUiUrl).not.toBe(two!.temporalUiUrl);

  await expect(slipways.start(dirs[0])).rejects.toThrow(
    `The data directory ${dirs[0]} is in use by another Slipway (pid ${one!.process.pid})`,
  );
  expect(await query(one!.databaseUrl, 'select 1')).toEqual([1]);
});

test("a killed Slipway's services end with it, and the next start recovers", async () => {
  const dir = await slipways.keptDataDir();
  const killed = await slipways.start(dir);
  await query(killed.databaseUrl, 'create table kept (word text)');
  const orphans = await children(dir);
  killed.process.kill('SIGKILL');
  await until('the children end', () => noneAlive(orphans));

  const { databaseUrl } = await slipways.start(dir);
  expect(databaseUrl).toBe(killed.databaseUrl);
  expect(await query(databaseUrl, 'select count(*)::int from kept')).toEqual([0]);
});

test('the next start ends orphans of a Slipway that was killed together with its guards', async () => {
  const dir = await slipways.keptDataDir();
  const killed = await slipways.start(dir);
  const orphans = await children(dir);
  const guardOf = async ({ pid }: ProcessRecord) =>
    Number((await run('pgrep', ['-f', `slipway-guard ${pid} `])).stdout);
  const guards = await Promise.all(orphans.map(guardOf));
  // Stopped first, so that it replaces no guard, and alive until they are gone, so that none of them acts.
  process.kill(killed.process.pid!, 'SIGSTOP');
  [...guards, killed.process.pid!].forEach((pid) => process.kill(pid, 'SIGKILL'));
  await once(killed.process, 'exit');
  await sleep(200);
  expect(await Promise.all(orphans.map(isAlive))).toEqual([true, true]);

  const next = await slipways.start(dir);
  expect(next.output.filter((line) => line.startsWith('Stopping a'))).toHaveLength(2);
  expect(next).toMatchObject({ databaseUrl: killed.databaseUrl, temporalAddress: killed.temporalAddress });
  expect(await noneAlive(orphans)).toBe(true);
});

test('killed Postgres and Temporal are restarted on the same ports, with guards', async () => {
  const dir = await slipways.keptDataDir();
  const slipway = await slipways.start(dir);
  await query(slipway.databaseUrl, 'create table kept (word text)');
  await query(slipway.databaseUrl, `insert into kept values ('committed')`);
  const killed = await children(dir);
  killed.forEach(({ pid }) => process.kill(pid, 'SIGKILL'));

  const back = (line: string) => until(line, () => slipway.output.includes(line));
  await Promise.all([back('Postgres is running again'), back('Temporal is running again')]);
  expect(await query(slipway.databaseUrl, 'select word from kept')).toEqual(['committed']);
  expect(slipway.output).toContain('Postgres ended unexpectedly (SIGKILL), restarting it');

  const restarted = await children(dir);
  slipway.process.kill('SIGKILL');
  await until('the restarted children end', () => noneAlive(restarted));
});
