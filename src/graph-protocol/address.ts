import { connect, Socket } from 'node:net';

type Address = { fd: number } | { path: string } | { host: string; port: number };

/** Reads `fd:3`, `unix:/path` or `tcp:name:port`. Throws for anything else. */
export function parseAddress(address: string): Address {
  const [, kind, where = ''] = /^(fd|unix|tcp):(.+)$/.exec(address) ?? [];
  if (kind === 'fd') return { fd: Number(where) };
  if (kind === 'unix') return { path: where };
  const [, host = '', port] = /^(.+):(\d+)$/.exec(where) ?? [];
  if (kind === 'tcp' && port) return { host, port: Number(port) };
  throw new Error(`Invalid server address: '${address}'`);
}

/** Connects to an address. Throws what `parseAddress` throws. */
export function connectTo(address: string): Socket {
  const to = parseAddress(address);
  return 'fd' in to ? new Socket({ ...to, readable: true, writable: true }) : connect(to);
}
