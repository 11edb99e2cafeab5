import type Docker from 'dockerode';
import ipaddr from 'ipaddr.js';
import { StartFailed } from '../../errors.ts';
import { type Destination, destination } from '../../fence/destinations.ts';
import { HOST_NETWORK } from './container-spec.ts';
import { runOnce } from './run-once.ts';

/** What rules need to know about the machine of an engine, which may be another than this one. */
export interface EngineMachine {
  /** Its addresses, except for loopback. */
  addresses: Destination[];
  /** DNS servers that the engine asks for containers, from their network. */
  resolvers: Destination[];
}

// Engines read the servers behind systemd's own resolver.
const BEHIND_RESOLVER = '/run/systemd/resolve';
const MOUNT = { Type: 'bind', Source: BEHIND_RESOLVER, Target: BEHIND_RESOLVER, ReadOnly: true } as const;

/** Looks from a container in the machine's own network. Throws StartFailed if the image can't do that. */
export async function lookAtMachine(docker: Docker, image: string): Promise<EngineMachine> {
  const look = (Mounts: (typeof MOUNT)[]) =>
    runOnce(docker, { Image: image, Cmd: ['machine'], HostConfig: { NetworkMode: HOST_NETWORK, Mounts } });
  // Machines without systemd's resolver have no such folder.
  const { code, output } = await look([MOUNT]).catch(() => look([]));
  if (code !== 0)
    throw new StartFailed(`the image ${image} (SLIPWAY_DOCKER_BASE_IMAGE) is not of this version: ${output}`);
  const { addresses, servers } = JSON.parse(output) as { addresses: string[]; servers: string[] };
  return { addresses: addresses.map((one) => destination(one)), resolvers: readResolvers(servers) };
}

/** Loopback addresses are the engine's own: it does not ask them from a container's network. */
const readResolvers = (servers: string[]): Destination[] =>
  [...new Set(servers)]
    .filter((server) => ipaddr.isValid(server) && ipaddr.process(server).range() !== 'loopback')
    .map((server) => destination(server));
