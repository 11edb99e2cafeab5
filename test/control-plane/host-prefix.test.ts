import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uidOf } from '../../src/control-plane/users/agent-user.ts';
import { hostPrefix } from '../../src/control-plane/drivers/process/host-prefix.ts';
import { makeMemoryGroup, type MemoryGroup } from '../../src/control-plane/drivers/process/memory-group.ts';
import { findSandbox } from '../../src/control-plane/drivers/process/sandbox.ts';
import { findFence } from '../../src/control-plane/fence/fence.ts';
import { exportScript } from '../../src/platform/export-script.ts';
import { installPackage } from '../support/debian-package.ts';
import { forbiddenTargets, REACH } from '../support/reach.ts';
import { until } from '../support/until.ts';

// What a process with a project's code can do. Only root on Linux can set up other users and namespaces.
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const ifRoot = isRoot ? test : test.skip;

const started: ChildProcess[] = [];
const deploymentId = randomUUID();
const MEGABYTES = 256;
let dataDir: string;
let socket: Server;
let group: MemoryGroup | undefined;
const SOCKET = `/run/slipway-test-${process.pid}.sock`;

beforeAll(async () => {
  if (!isRoot) return;
  await installPackage('slirp4netns', 'command -v slirp4netns');
  await installPackage('nftables', 'command -v nft');
  dataDir = mkdtempSync(join(tmpdir(), 'slipway-host-'));
  mkdirSync(join(dataDir, 'project'));
  mkdirSync(join(dataDir, 'work'), { mode: 0o700 });
  chownSync(join(dataDir, 'work'), uidOf(deploymentId), uidOf(deploymentId));
  writeFileSync(join(dataDir, 'project', 'agent.js'), '');
  writeFileSync(join(dataDir, 'secret'), 'a secret', { mode: 0o644 });
  socket = createServer((client) => client.end('reached')).listen(SOCKET);
  await once(socket, 'listening');
  chmodSync(SOCKET, 0o777);
  group = await makeMemoryGroup(`test-${randomUUID()}-0`, MEGABYTES);
}, 300_000);
afterAll(async () => {
  if (!isRoot) return;
  started.forEach((child) => child.kill('SIGKILL'));
  await until('nothing runs', async () => ((await group?.pids()) ?? []).length === 0);
  socket.close();
  await group?.remove();
  rmSync(dataDir, { recursive: true });
});

/** Starts a program as the server starts a graph host. */
async function start(program: string, environment: Record<string, string> = {}) {
  const folders = { project: join(dataDir, 'project'), work: join(dataDir, 'work') };
  const sandbox = await findSandbox(dataDir);
  const fence = await (await findFence({})).prefix();
  const prefix = hostPrefix({ sandbox, fence, group, megabytes: MEGABYTES, deploymentId, folders });
  const [command = '', ...args] = [...prefix, process.execPath, '-e', program];
  const child = spawn(command, args, { env: { PATH: SYSTEM_PATH }, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  started.push(child);
  child.stdin.end(exportScript({ PATH: SYSTEM_PATH, ...environment }));
  return child;
}
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A program's output on descriptor 3, run as the agent. */
async function attempt(program: string, environment?: Record<string, string>): Promise<string> {
  const child = await start(
    `const say = (what) => require('node:fs').writeSync(3, String(what));
const attempt = (act) => { try { return act(); } catch ({ code }) { return code; } };
${program}`,
    environment,
  );
  const output = text(child.stdio[3] as Duplex);
  child.stderr.pipe(process.stderr);
  await once(child, 'exit');
  return output;
}

ifRoot('it has its own variables, and the project’s do not affect its launcher', async () => {
  const library = join(dataDir, 'work', 'evil.so');
  // Every program that tries to load an invalid library prints a warning.
  writeFileSync(library, 'no library');
  const child = await start(`require('node:fs').writeSync(3, JSON.stringify(process.env))`, {
    LD_PRELOAD: library,
    KEY: `it's "mine"\n`,
  });
  const [output, complaints] = await Promise.all([text(child.stdio[3] as Duplex), text(child.stderr)]);
  expect(JSON.parse(output)).toMatchObject({ KEY: `it's "mine"\n` });
  expect(complaints.match(/cannot be preloaded/g)).toHaveLength(1);
});

ifRoot('it cannot reach ports or sockets of this machine', async () => {
  const targets = JSON.stringify(forbiddenTargets());
  expect(await attempt(`process.argv[1] = ${JSON.stringify(targets)}; console.log = say; ${REACH}`)).toBe(
    '[]',
  );
  const connecting = `require('node:net').connect('${SOCKET}').on('data', say).on('error', ({ code }) => say(code))`;
  expect(await attempt(connecting)).toBe('ENOENT');
  expect(await attempt(`say(require('node:fs').readFileSync('/proc/net/unix', 'utf8').includes('/'))`)).toBe(
    'false',
  );
});

ifRoot('it sees its project and work folder, but no files of the platform', async () => {
  const seen = await attempt(`const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
say(JSON.stringify([
  readdirSync('.'),
  attempt(() => writeFileSync('new', '')),
  attempt(() => readFileSync('${dataDir}/secret', 'utf8')),
  attempt(() => readdirSync('${dataDir}')),
  readdirSync('/run/slipway-agent'),
  writeFileSync('/tmp/mine', 'x') ?? readdirSync('/run/slipway-agent/work').includes('mine'),
]))`);
  expect(JSON.parse(seen)).toEqual([
    ['agent.js'],
    expect.stringMatching(/EACCES|EROFS/),
    expect.stringMatching(/EACCES|ENOENT/),
    expect.stringMatching(/EACCES|ENOENT/),
    ['project', 'work'],
    true,
  ]);
  expect(existsSync('/tmp/mine')).toBe(false);
});

ifRoot('it sees and signals only its own processes, and cannot gain privileges', async () => {
  const seen = await attempt(`say(JSON.stringify([
  require('node:fs').readdirSync('/proc').filter((name) => /^\\d+$/.test(name)),
  attempt(() => process.kill(${process.pid}, 'SIGKILL')),
  attempt(() => process.setuid(0)),
  process.getuid() === ${uidOf(deploymentId)},
  attempt(() => require('node:child_process').execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' })) !== 0,
  attempt(() => require('node:child_process').execFileSync('nft', ['flush', 'ruleset'], { stdio: 'ignore' })),
]))`);
  const [pids, ...rest] = JSON.parse(seen) as [string[], ...unknown[]];
  expect(pids).toHaveLength(1);
  expect(rest.slice(0, 3)).toEqual(['ESRCH', 'EPERM', true]);
  expect(process.kill(process.pid, 0)).toBe(true);
});

ifRoot('each has its own memory limit, and the log reports when it is exceeded', async () => {
  if (!group) return;
  const hungry = `const held = []; setInterval(() => held.push(Buffer.alloc(32e6, 1)), 5)`;
  const [first, second] = [
    await start(hungry),
    await start('process.stdin.resume(); setInterval(() => {}, 1e3)'),
  ];
  const complaints = text(first.stderr);
  const [code] = (await once(first, 'exit')) as [number];
  expect(code).not.toBe(0);
  expect(await complaints).toContain(`A graph host ran out of its ${MEGABYTES} MB of memory`);
  expect(await group.ranOut()).toBe(true);
  expect(second.exitCode).toBeNull();
  second.kill('SIGKILL');
  await until('nothing of it is left', async () => (await group!.pids()).length === 0);
});

ifRoot('a host that is killed while it starts leaves nothing', async () => {
  if (!group) return;
  for (let ms = 0; ms < 60; ms += 3) {
    const child = await start('setInterval(() => {}, 1e3)');
    await pause(ms);
    expect(child.kill('SIGKILL')).toBe(true);
  }
  await until('nothing of them is left', async () => (await group!.pids()).length === 0);
});

ifRoot('its child processes end with it, however it ends', async () => {
  const child = await start(`const { spawn } = require('node:child_process');
spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).once('spawn', () => require('node:fs').writeSync(3, 'ready'));
setInterval(() => {}, 1e3)`);
  await once(child.stdio[3] as Duplex, 'data');
  const pids = (await group!.pids()).filter(
    (pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sleep',
  );
  expect(pids.length).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await until('they are gone', () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
});
