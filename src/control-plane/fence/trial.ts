import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { promisify } from 'node:util';
import { asUser } from '../users/agent-user.ts';
import { type Destination, destination, machineAddresses } from './destinations.ts';
import { MACHINE } from './user-network.ts';

const execute = promisify(execFile);

const TRIAL_MS = 15_000;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
// The name does not exist, so any answer proves that a resolver was reached.
const NAME = 'slipway.invalid';
const DNS = { timeout: 1_000, tries: 2 };

// Prints which of its targets it reached, and whether a DNS server answered.
const PROBE = `const { Resolver } = require('node:dns').promises;
const { connect } = require('node:net');
const { targets, name, dns } = JSON.parse(process.argv[1]);
const reached = ([host, port]) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 2000 });
  const say = (answer) => () => { socket.destroy(); resolve(answer); };
  socket.once('connect', say(true)).once('error', say(false)).once('timeout', say(false));
});
const asked = new Resolver(dns).resolve4(name).then(() => true, ({ code }) => code === 'ENOTFOUND' || code === 'ENODATA');
Promise.all([Promise.all(targets.map(reached)), asked]).then((seen) => console.log(JSON.stringify(seen)));`;

/**
 * Runs a program behind a fence that allows one port of this machine. The program must reach that port and a DNS
 * server, and no other port. Rejects with the reason if not.
 */
export async function tryFence(prefix: (allow: Destination[]) => string[], uid: number): Promise<void> {
  const { open, closed, close } = await openTrialPorts();
  try {
    const own = machineAddresses();
    const [first] = own;
    const targets = ['127.0.0.1', '::1', MACHINE, ...own].map((host) => [host, closed]);
    const about = { targets: first ? [...targets, [first, open]] : targets, name: NAME, dns: DNS };
    const [command, ...args] = [
      ...prefix(first ? [destination(first, open)] : []),
      ...asUser(uid),
      process.execPath,
      '-e',
      PROBE,
      JSON.stringify(about),
    ];
    const isAsked = answersNames();
    const { stdout } = await execute(command, args, { cwd: '/', env: { PATH }, timeout: TRIAL_MS });
    const [reached, asked] = JSON.parse(stdout) as [boolean[], boolean];
    const leak = targets.find((_target, index) => reached[index]);
    if (leak) throw new Error(`this machine can be reached at ${leak[0]}`);
    if (first && !reached.at(-1)) throw new Error('an allowed port cannot be reached');
    if (!asked && (await isAsked)) throw new Error('no DNS server can be reached');
  } finally {
    close();
  }
}

/** Listens on two ports of this machine: one for the fence to allow, one for it to refuse. */
export async function openTrialPorts(): Promise<{ open: number; closed: number; close(): void }> {
  const servers = [await listen(), await listen()];
  const [open, closed] = servers.map((server) => (server.address() as AddressInfo).port) as [number, number];
  return { open, closed, close: () => servers.forEach((server) => server.close()) };
}

async function listen(): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(0);
  await once(server, 'listening');
  return server;
}

const answersNames = (): Promise<boolean> =>
  new Resolver(DNS).resolve4(NAME).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOTFOUND' || code === 'ENODATA',
  );
