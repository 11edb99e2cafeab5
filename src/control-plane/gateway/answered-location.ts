import type { IncomingMessage } from 'node:http';
import { publicAddressOf } from '../../platform/http/public-address.ts';
import { CONSOLE_HEADER } from '../access/session-cookie.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Answer {
  status: number;
  location: string | string[];
}

/**
 * Whether a client would take the platform's credentials out of the agent's address by following its `Location`:
 * `fetch` and curl keep `X-Api-Key` on the way to other hosts, and 307 and 308 keep method and body.
 */
export function takesCredentialsAway(
  request: IncomingMessage,
  { status, location }: Answer,
  { path, prefix, withheld }: { path: string; prefix: string; withheld: string[] },
): boolean {
  if (withheld.length === 0 && request.headers[CONSOLE_HEADER] === undefined) return false;
  const { protocol, host, prefix: outer } = publicAddressOf(request);
  const address = outer + prefix;
  const asked = `${protocol}://${host}${address}${path}`;
  if (!URL.canParse(asked)) return true;
  const isWithin = (text: string, base?: string): boolean => {
    if (!URL.canParse(text, base)) return false;
    const { origin, pathname } = new URL(text, base);
    return origin === new URL(asked).origin && `${pathname}/`.startsWith(`${address}/`);
  };
  // To resume a stream, SDKs append its `Location` to their base URL: `@evil.example` would become the host.
  const stays = REDIRECTS.has(status)
    ? (text: string) => isWithin(text, asked)
    : (text: string) => text.startsWith('/') || isWithin(text);
  return ![location].flat().every(stays);
}
