import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'koa';

const HOST = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i;
const PREFIX = /^(?:\/[\w.~-]+)+$/;

/** This server's address as the caller sees it. */
export interface PublicAddress {
  protocol: string;
  host: string;
  /** Path prefix removed by proxies; empty if none. */
  prefix: string;
}

/**
 * Derives the address from `X-Forwarded-Proto`, `-Host` and `-Prefix`, using the first (outermost) value. Forged
 * headers only affect their own sender. Ignores malformed values.
 */
export const publicAddress = (ctx: Context): PublicAddress => publicAddressOf(ctx.req);

export function publicAddressOf({
  headers,
  socket,
}: Pick<IncomingMessage, 'headers' | 'socket'>): PublicAddress {
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
