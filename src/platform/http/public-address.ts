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
export function publicAddress(ctx: Context): PublicAddress {
  const first = (header: string) => ctx.get(header).split(',')[0]!.trim();
  const [protocol, host, prefix] = [
    first('x-forwarded-proto').toLowerCase(),
    first('x-forwarded-host'),
    first('x-forwarded-prefix').replace(/\/+$/, ''),
  ];
  return {
    protocol: protocol === 'https' || protocol === 'http' ? protocol : ctx.protocol,
    host: HOST.test(host) ? host : ctx.get('host'),
    prefix: PREFIX.test(prefix) ? prefix : '',
  };
}
