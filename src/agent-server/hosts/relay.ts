import { createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { connectTo, parseAddress } from '../../graph-protocol/address.ts';
import { listenAt } from './listen-at.ts';

const MOST = 256;

/**
 * Forwards connections until the process ends. `route` is two addresses with a space between them: where to listen,
 * and where to connect to.
 */
export async function relay(route: string): Promise<void> {
  const [from = '', to = ''] = route.split(' ');
  parseAddress(to);
  const server = createServer((socket) => void pass(socket, connectTo(to)));
  server.maxConnections = MOST;
  await listenAt(server, from);
  server.unref();
}

async function pass(one: Socket, other: Socket): Promise<void> {
  await Promise.all([pipeline(one, other), pipeline(other, one)]).catch(() => {
    one.destroy();
    other.destroy();
  });
}
