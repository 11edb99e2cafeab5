import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'koa';

const HOST = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i;
const PREFIX = /^(?:\/[\w.~-]+)+$/;

/** Where the caller reaches this server, as it is to read it. */
export interface PublicAddress {
  protocol: string;
  host: string;
  /** What proxies have taken off the path; empty for nothing. */
  prefix: string;
}

/**
 * The address the caller asked, which proxies tell in `X-Forwarded-Proto`, `-Host` and `-Prefix`: of several, the
 * first is the outermost. Who sends a false one gets a false address, and nobody else does; what could be anything but
 * an address is not believed.
 */
export const publicAddress = (ctx: Context): PublicAddress => publicAddressOf(ctx.req);

export function publicAddressOf({ headers, socket }: IncomingMessage): PublicAddress {
  const first = (header: string) =>
    String(headers[header] ?? '')
      .split(',')[0]!
      .trim();
  const [protocol, host, prefix] = [
    first('x-forwarded-proto').toLowerCase(),
    first('x-forwarded-host'),
    first('x-forwarded-prefix').replace(/\/+$/, ''),
  ];
  return {
    protocol: protocol === 'https' || protocol === 'http' ? protocol : ownProtocol(socket),
    host: HOST.test(host) ? host : (headers.host ?? ''),
    prefix: PREFIX.test(prefix) ? prefix : '',
  };
}

const ownProtocol = (socket: Socket): string =>
  'encrypted' in socket && socket.encrypted ? 'https' : 'http';
