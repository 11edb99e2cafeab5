import type { IncomingMessage } from 'node:http';
import { publicAddressOf } from './public-address.ts';

// Over TLS, the `__Host-` prefix keeps other hosts of the domain from setting it.
export const SECURE_NAME = '__Host-slipway';
const PLAIN_NAME = 'slipway';

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;

export const isSecure = (request: Asked): boolean => publicAddressOf(request).protocol === 'https';

/** Name of the session cookie, or with a suffix, of another cookie of the platform. */
export const cookieName = (request: Asked, suffix = ''): string =>
  (isSecure(request) ? SECURE_NAME : PLAIN_NAME) + suffix;

export function readCookie(request: Asked, suffix = ''): string | undefined {
  const name = cookieName(request, suffix);
  return readCookies(request.headers.cookie ?? '').find(([found]) => found === name)?.[1] || undefined;
}

export const readCookies = (header: string): [string, string][] =>
  header.split(';').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });
