import { networkInterfaces } from 'node:os';
import { listeningPorts } from './listening-ports.ts';

export type Target = [host: string, port: number];

const FIND = `const { connect } = require('node:net');
const reached = ([host, port]) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 3000 });
  const say = (answer) => () => { socket.destroy(); resolve(answer); };
  socket.once('connect', say(true)).once('error', say(false)).once('timeout', say(false));
});
const find = async (targets) => {
  const seen = await Promise.all(targets.map(reached));
  return targets.filter((_target, index) => seen[index]);
};`;

/** A program that prints those of its targets (JSON, its argument) that accept a TCP connection. */
export const REACH = `${FIND}
find(JSON.parse(process.argv[1])).then((found) => console.log(JSON.stringify(found)));`;

/** The same as the body of a function that returns them. */
export const reachBody = (targets: Target[]): string => `${FIND}
return find(${JSON.stringify(targets)});`;

const METADATA: Target[] = [
  ['169.254.169.254', 80],
  ['fd00:ec2::254', 80],
  ['168.63.129.16', 80],
];

/** The addresses of this machine that are not loopback. */
export const machineAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);

/** Every listening port at every address that may lead to this machine, and cloud metadata services. */
export function forbiddenTargets(): Target[] {
  const hosts = [
    '127.0.0.1',
    '::1',
    '198.19.254.2',
    '198.19.254.3',
    'fd00::2',
    'fd00::3',
    ...machineAddresses(),
  ];
  return [...hosts.flatMap((host) => listeningPorts().map((port): Target => [host, port])), ...METADATA];
}
