import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { LINK, PROJECT, useBuilds } from '../control-plane/build-setting.ts';
import { at } from '../support/agent-project.ts';
import { until } from '../support/until.ts';

const { root, repository } = useBuilds();
const NOBODY = 65_534;
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** Processes of this machine whose command line starts with the given text. */
async function running(text: string): Promise<string[]> {
  const found = (await readdir('/proc')).map(async (pid) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line.replaceAll('\0', ' ').startsWith(text) ? [pid] : [];
  });
  return (await Promise.all(found)).flat();
}

function start(install_command: string, owner?: { uid: number; gid: number }) {
  const dataDir = join(root, randomUUID());
  mkdirSync(dataDir);
  if (owner) {
    // Only the test's user can access its folder.
    chmodSync(root, 0o755);
    chmodSync(dataDir, 0o777);
  }
  const { url, folder } = repository(PROJECT);
  if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
  const revision = {
    id: randomUUID(),
    deployment_id: randomUUID(),
    source: 'git_host',
    source_config: { repo_url: url, install_command },
    source_revision_config: {},
  };
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', at('test/control-plane/build-process.ts'), JSON.stringify(revision)],
    {
      cwd: at('.'),
      env: { ...process.env, HOME: dataDir, SLIPWAY_DATA_DIR: dataDir, SLIPWAY_GIT_PROTOCOLS: 'file' },
      stdio: ['ignore', 'pipe', 'inherit'],
      ...owner,
    },
  );
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    lines.push((JSON.parse(line) as { msg: string }).msg),
  );
  return {
    child,
    lines,
    dataDir,
    ended: new Promise<void>((resolve) => child.once('exit', () => resolve())),
    /** Resolves when it has ended and all its output is in `lines`. */
    closed: new Promise<void>((resolve) => child.once('close', () => resolve())),
  };
}

const asOthers = process.getuid?.() === 0 ? [{ uid: NOBODY, gid: NOBODY }] : [];

test.each([undefined, ...asOthers])('a build ends with its killed worker (user: %j)', async (owner) => {
  const tag = `7${process.pid}.${Date.now() % 100_000}`;
  const { child, lines, ended } = start(`sleep ${tag}1 & sleep ${tag}2 & echo started; wait`, owner);
  while (!lines.includes('started')) {
    expect(child.exitCode).toBeNull();
    await delay(50);
  }
  // The shell continues before its child has become the command.
  await until('both run', async () => (await running(`sleep ${tag}`)).length === 2);
  child.kill('SIGKILL');
  await ended;
  await until('both are gone', async () => (await running(`sleep ${tag}`)).length === 0);
});

test('builds work without root, and the log reports what is missing', async () => {
  const [owner] = asOthers;
  const { lines, dataDir, closed } = start(LINK, owner);
  await closed;
  expect(lines).toContain("graph 'agent' loads");
  expect(lines).toContain('Builds are not isolated on this machine: the platform is not run by root');
  expect(existsSync(join(dataDir, 'artifacts'))).toBe(true);
});
