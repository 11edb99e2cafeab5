import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { parseAddress } from '../../graph-protocol/address.ts';

/** Listens at an address such as `unix:/path` or `tcp:name:port`. Users other than this process's may connect. */
export async function listenAt(server: Server, address: string): Promise<void> {
  const at = parseAddress(address);
  // A killed server leaves its socket file behind.
  if ('path' in at) await rm(at.path, { force: true });
  server.listen({ ...at, readableAll: true, writableAll: true });
  await once(server, 'listening');
}
