import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { cookieName, isSecure, readCookies, SECURE_NAME } from '../../platform/http/own-cookie.ts';
import { publicAddressOf } from '../../platform/http/public-address.ts';
import { Forbidden } from '../principal.ts';

/** Sent by scripts of our pages; forms and links of other sites can't set it. */
export const CONSOLE_HEADER = 'x-slipway-console';

interface CookieOptions {
  /** Distinguishes it from the session cookie. */
  suffix?: string;
  maxAgeSeconds: number;
  /** `Lax` for cookies needed when another site redirects back. */
  sameSite?: 'Strict' | 'Lax';
}

export function setCookie(
  ctx: Context,
  value: string,
  { suffix = '', maxAgeSeconds, sameSite = 'Strict' }: CookieOptions,
): void {
  const age = `Max-Age=${Math.floor(maxAgeSeconds)}`;
  const parts = [
    `${cookieName(ctx.req, suffix)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${sameSite}`,
    age,
  ];
  ctx.append('set-cookie', [...parts, ...(isSecure(ctx.req) ? ['Secure'] : [])].join('; '));
}

export const clearCookie = (ctx: Context, suffix = ''): void =>
  setCookie(ctx, '', { suffix, maxAgeSeconds: 0 });

/** The header without our cookies, which agents must not receive. Undefined if nothing is left. */
export function withoutOurs(header: string): string | undefined {
  const kept = header.split(';').filter((part) => {
    const [[name]] = readCookies(part) as [[string, string]];
    return name && !name.startsWith(SECURE_NAME) && !/^slipway(?:-|$)/.test(name);
  });
  return kept.length > 0 ? kept.join(';').trim() : undefined;
}

/** Rejects requests forged by other sites: our pages send their own header and origin. Throws Forbidden. */
export function requireOwnPage(request: IncomingMessage): void {
  if (!isOwnOrigin(request) || !request.headers[CONSOLE_HEADER])
    throw new Forbidden(`With a cookie, send X-Slipway-Console from the platform's own pages`);
}

/** The WebSocket version: browsers can't add our header there, but always send the origin. */
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
