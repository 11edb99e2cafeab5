import { readFile } from 'node:fs/promises';
import { machineAddresses } from '../control-plane/fence/destinations.ts';

// Where systemd lists the servers behind its own resolver.
const RESOLVERS = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
const SERVER = /^nameserver\s+([^\s%]+)/gm;

/** Prints addresses and DNS servers of the machine as JSON. Workers run it on the machine of a container engine. */
export async function machine(): Promise<void> {
  const files = await Promise.all(RESOLVERS.map((file) => readFile(file, 'utf8').catch(() => '')));
  const servers = files.flatMap((text) => Array.from(text.matchAll(SERVER), ([, server]) => server));
  console.log(JSON.stringify({ addresses: machineAddresses(), servers }));
}
