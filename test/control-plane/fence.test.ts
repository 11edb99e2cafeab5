import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { asUser, FIRST_UID } from '../../src/control-plane/users/agent-user.ts';
import {
  type Destination,
  destination,
  readDestinations,
} from '../../src/control-plane/fence/destinations.ts';
import type { FenceSettings } from '../../src/control-plane/fence/configured-rules.ts';
import { CANDIDATES, tryFences } from '../../src/control-plane/fence/fence.ts';
import { ownerRulesPrefix } from '../../src/control-plane/fence/owner-rules.ts';
import { packageSources } from '../../src/control-plane/fence/package-sources.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { installPackage } from '../support/debian-package.ts';
import { forbiddenTargets, machineAddresses, REACH, type Target } from '../support/reach.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
// Only root on Linux can set up a fence.
const ifRoot = isRoot ? test : test.skip;

const UID = FIRST_UID + 1;
const TABLE = `slipway_test_${process.pid}`;
const servers: Server[] = [];

beforeAll(async () => {
  if (!isRoot) return;
  for (const [name, program] of [['slirp4netns'], ['passt', 'pasta'], ['nftables', 'nft']] as const)
    await installPackage(name, `command -v ${program ?? name}`);
  await run('nft', ['add', 'table', 'inet', TABLE]);
}, 300_000);
afterAll(async () => {
  servers.forEach((server) => server.close());
  if (isRoot) await run('nft', ['delete', 'table', 'inet', TABLE]);
});

async function listen(host?: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, host);
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

type Prefix = (also?: Destination[], settings?: FenceSettings) => Promise<string[]>;

const prefixOf =
  (name: string): Prefix =>
  async (also, settings = {}) => {
    const fence = await tryFences(
      settings,
      CANDIDATES.filter((candidate) => candidate.name === name),
    );
    expect(fence.missing).toBeUndefined();
    // The machine's rules apply only to this test's users.
    if (name !== 'nft') return fence.prefix(also);
    const rules = {
      allow: [...(also ?? []), ...readDestinations('', settings.SLIPWAY_FENCE_ALLOW)],
      deny: [
        ...machineAddresses().map((address) => destination(address)),
        ...readDestinations('', settings.SLIPWAY_FENCE_DENY),
      ],
      services: [],
    };
    return ownerRulesPrefix({ ...rules, table: TABLE, users: [[UID, UID]] });
  };

async function reached(prefix: string[], targets: Target[]): Promise<Target[]> {
  const [command = '', ...args] = [
    ...prefix,
    ...asUser(UID),
    process.execPath,
    '-e',
    REACH,
    JSON.stringify(targets),
  ];
  return JSON.parse((await run(command, args)).stdout) as Target[];
}

const FENCES = CANDIDATES.map(({ name }) => name);

ifRoot.each(FENCES)('%s: blocks all ports of this machine and cloud metadata', async (name) => {
  await listen();
  const targets = forbiddenTargets();
  expect(targets.length).toBeGreaterThan(6);
  expect(await reached(await prefixOf(name)(), targets)).toEqual([]);
});

ifRoot.each(FENCES)('%s: reaches exactly what is allowed', async (name) => {
  const [open, closed] = [await listen(), await listen()];
  const [address = ''] = machineAddresses();
  const prefix = await prefixOf(name)(readDestinations('', `${address}:${open}`));
  expect(
    await reached(prefix, [
      [address, open],
      [address, closed],
      ['127.0.0.1', open],
    ]),
  ).toEqual([[address, open]]);
});

ifRoot.each(FENCES)('%s: reaches an allowed loopback port', async (name) => {
  const [open, closed] = [await listen('127.0.0.1'), await listen('127.0.0.1')];
  const prefix = await prefixOf(name)([destination('127.0.0.1', open)]);
  const targets: Target[] = [open, closed].flatMap((port): Target[] => [
    ['127.0.0.1', port],
    ['198.19.254.2', closed],
  ]);
  expect(await reached(prefix, targets)).toEqual([['127.0.0.1', open]]);
});

ifRoot.each(FENCES)('%s: resolves names, and reaches their addresses unless denied', async (name) => {
  const target: Target = ['registry.npmjs.org', 443];
  expect(await reached(await prefixOf(name)(), [target])).toEqual([target]);
  const settings = { SLIPWAY_FENCE_DENY: '0.0.0.0/0,::/0' };
  expect(await reached(await prefixOf(name)([], settings), [target])).toEqual([]);
});

ifRoot('the platform’s Postgres and Temporal are blocked even if their network is allowed', async () => {
  const [address = ''] = machineAddresses();
  const [postgres, other] = [await listen(), await listen()];
  const settings = {
    DATABASE_URL: `postgres://x:y@${address}:${postgres}/z`,
    SLIPWAY_FENCE_ALLOW: address,
  };
  const prefix = await (await tryFences(settings)).prefix();
  expect(
    await reached(prefix, [
      [address, postgres],
      [address, other],
    ]),
  ).toEqual([[address, other]]);
});

const USER_NETWORKS = FENCES.filter((name) => name !== 'nft');

ifRoot.each(USER_NETWORKS)(
  '%s: keeps descriptor 3 open, and returns the command’s exit code',
  async (name) => {
    const [command = '', ...args] = [
      ...(await prefixOf(name)()),
      ...asUser(UID),
      'sh',
      '-c',
      'read line <&3; echo "got $line" >&3; exit 7',
    ];
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
    const socket = child.stdio[3] as Duplex;
    socket.write('a word\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const [code] = (await once(child, 'exit')) as [number];
    expect([String(answer), code]).toEqual(['got a word\n', 7]);
  },
);

/** Processes of the network program that belong to a fenced command. */
const networkOf = ({ pid }: ChildProcess): number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended.
    }
  }
  const isBelow = (id: number): boolean => id === pid || (parents.has(id) && isBelow(parents.get(id)!));
  return [...parents.keys()].filter((id) => isBelow(id) && /^(slirp4netns|pasta|passt)/.test(commandOf(id)));
};
const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
};

ifRoot.each(USER_NETWORKS)(
  '%s: the network program ends with the command, and restarts if it ends before',
  async (name) => {
    const port = await listen();
    const [address = ''] = machineAddresses();
    const prefix = await prefixOf(name)([destination(address, port)]);
    const again = `const { connect } = require('node:net');
process.stdin.on('data', () => {
  const attempt = () => connect({ host: '${address}', port: ${port} })
    .once('data', () => console.log('reached')).once('error', () => setTimeout(attempt, 50));
  attempt();
});`;
    const [command = '', ...args] = [...prefix, ...asUser(UID), process.execPath, '-e', again];
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ask = async (): Promise<string> => {
      child.stdin.write('go\n');
      return String((await once(child.stdout, 'data'))[0]).trim();
    };
    expect(await ask()).toBe('reached');
    const [first] = networkOf(child);
    process.kill(first!, 'SIGKILL');
    expect(await ask()).toBe('reached');
    const after = networkOf(child);
    expect(after).not.toContain(first);
    child.kill('SIGKILL');
    await until('the program ended', () => after.every((pid) => commandOf(pid) === ''));
    expect(after).not.toHaveLength(0);
  },
);

ifRoot('a machine without the programs gets a hint what to install', async () => {
  const { missing } = await tryFences({}, []);
  expect(missing).toBe(
    'agents and builds can reach ports on this machine: install slirp4netns (or passt) and nftables',
  );
});

const doctor = async (without: string[]): Promise<{ ok: boolean; detail: string }> => {
  const program = fileURLToPath(new URL('dist/bin/slipway.js', packageRoot));
  const bounds = ['+all', ...without.map((capability) => `-${capability}`)].join(',');
  const asked = [`--bounding-set=${bounds}`, process.execPath, program, 'doctor', '--json'];
  const { stdout } = await run('setpriv', asked).catch((error: { stdout: string }) => error);
  const { findings } = JSON.parse(stdout) as { findings: { name: string; ok: boolean; detail: string }[] };
  return findings.find(({ name }) => name === 'network fence')!;
};

ifRoot('the doctor tries the fence and reports what is missing', async () => {
  expect(await doctor([])).toMatchObject({ ok: true, detail: expect.stringContaining('slirp4netns') });
  expect(await doctor(['sys_admin'])).toMatchObject({
    ok: true,
    detail: expect.stringContaining('firewall'),
  });
  expect(await doctor(['sys_admin', 'net_admin'])).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/install slirp4netns \(or passt\) and nftables; slirp4netns: unshare: /),
    turns_off: expect.stringContaining('more than one tenant'),
  });
});

test('destinations are networks, addresses, and addresses with ports; an error names an invalid one', () => {
  expect(
    readDestinations('SLIPWAY_FENCE_ALLOW', '10.1.0.0/16, 10.2.3.4,fd00::1,10.2.3.4:80,[fd00::1]:443'),
  ).toEqual([
    { network: '10.1.0.0/16' },
    { network: '10.2.3.4/32' },
    { network: 'fd00::1/128' },
    { network: '10.2.3.4/32', port: 80 },
    { network: 'fd00::1/128', port: 443 },
  ]);
  for (const wrong of ['models.internal', '10.0.0.0/33', '10.0.0.1:70000'])
    expect(() => readDestinations('SLIPWAY_FENCE_ALLOW', wrong)).toThrow(`SLIPWAY_FENCE_ALLOW="${wrong}"`);
});

test('finds the machine’s registries and proxies in its environment and files', async () => {
  const env = {
    https_proxy: '10.0.0.1:3128',
    npm_config_registry: 'https://10.0.0.2/npm',
    PIP_INDEX_URL: 'http://user:word@10.0.0.3:8080/simple',
    OTHER_URL: 'http://10.0.0.9',
  };
  expect(await packageSources(env, [])).toEqual([
    destination('10.0.0.1', 3128),
    destination('10.0.0.2', 443),
    destination('10.0.0.3', 8080),
  ]);
});
