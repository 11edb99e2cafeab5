import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { publicAddressOf } from '../../platform/http/public-address.ts';
import { Forbidden } from './principal.ts';

// Behind TLS the name itself keeps other hosts of the domain from setting it.
const SECURE_NAME = '__Host-slipway';
const PLAIN_NAME = 'slipway';

/** What scripts of our own pages send along; a form or a link of another site cannot. */
export const CONSOLE_HEADER = 'x-slipway-console';

const isSecure = (request: IncomingMessage): boolean => publicAddressOf(request).protocol === 'https';
const nameFor = (request: IncomingMessage, suffix: string): string =>
  (isSecure(request) ? SECURE_NAME : PLAIN_NAME) + suffix;

interface CookieOptions {
  /** Told apart from the session itself by this. */
  suffix?: string;
  maxAgeSeconds: number;
  /** `Lax` for what must be there when another site leads back to us. */
  sameSite?: 'Strict' | 'Lax';
}

export function setCookie(
  ctx: Context,
  value: string,
  { suffix = '', maxAgeSeconds, sameSite = 'Strict' }: CookieOptions,
): void {
  const age = `Max-Age=${Math.floor(maxAgeSeconds)}`;
  const parts = [`${nameFor(ctx.req, suffix)}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`, age];
  ctx.append('set-cookie', [...parts, ...(isSecure(ctx.req) ? ['Secure'] : [])].join('; '));
}

export const clearCookie = (ctx: Context, suffix = ''): void =>
  setCookie(ctx, '', { suffix, maxAgeSeconds: 0 });

export function readCookie(request: IncomingMessage, suffix = ''): string | undefined {
  const name = nameFor(request, suffix);
  return readCookies(request.headers.cookie ?? '').find(([found]) => found === name)?.[1] || undefined;
}

const readCookies = (header: string): [string, string][] =>
  header.split(';').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name.trim(), value.join('=').trim()];
  });

/** The header without our cookies: whoever is behind us must not have them. Undefined when nothing is left. */
export function withoutOurs(header: string): string | undefined {
  const kept = readCookies(header).filter(
    ([name]) => name && !name.startsWith(SECURE_NAME) && !/^slipway(?:-|$)/.test(name),
  );
  return kept.length > 0 ? kept.map(([name, value]) => `${name}=${value}`).join('; ') : undefined;
}

/**
 * Refuses what another site made a browser send: our pages send a header of their own, from their own origin. Throws
 * Forbidden.
 */
export function requireOwnPage(request: IncomingMessage): void {
  if (!isOwnOrigin(request) || !request.headers[CONSOLE_HEADER])
    throw new Forbidden(`With a cookie, send X-Slipway-Console from the platform's own pages`);
}

/** The same for a WebSocket: a browser adds no header of ours to it, but always says whose page it is. */
export function requireOwnSocket(request: IncomingMessage): void {
  if (!request.headers.origin || !isOwnOrigin(request))
    throw new Forbidden(`With a cookie, open a WebSocket from the platform's own pages`);
}

function isOwnOrigin(request: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return (!site || site === 'same-origin') && (!origin || hostOf(origin) === publicAddressOf(request).host);
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;
