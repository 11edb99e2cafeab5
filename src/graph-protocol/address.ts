import { connect, Socket } from 'node:net';

/** Connects to `fd:3`, `unix:/path` or `tcp:name:port`. Throws for anything else. */
export function connectTo(address: string): Socket {
  const [, kind, where = ''] = /^(fd|unix|tcp):(.+)$/.exec(address) ?? [];
  if (kind === 'fd') return new Socket({ fd: Number(where), readable: true, writable: true });
  if (kind === 'unix') return connect(where);
  const [, host = '', port] = /^(.+):(\d+)$/.exec(where) ?? [];
  if (kind === 'tcp' && port) return connect(Number(port), host);
  throw new Error(`SLIPWAY_HOST_ADDRESS is no address of a server: '${address}'`);
}
