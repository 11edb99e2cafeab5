import type { Context } from 'koa';
import { publicAddress } from '../../platform/http/public-address.ts';
import { Forbidden } from './principal.ts';

// Behind TLS the name itself keeps other hosts of the domain from setting it.
const SECURE_NAME = '__Host-slipway';
const PLAIN_NAME = 'slipway';

/** What scripts of our own pages send along; a form or a link of another site cannot. */
export const CONSOLE_HEADER = 'x-slipway-console';

const isSecure = (ctx: Context): boolean => publicAddress(ctx).protocol === 'https';
const nameFor = (ctx: Context, suffix: string): string => (isSecure(ctx) ? SECURE_NAME : PLAIN_NAME) + suffix;

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
  const parts = [`${nameFor(ctx, suffix)}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`, age];
  ctx.append('set-cookie', [...parts, ...(isSecure(ctx) ? ['Secure'] : [])].join('; '));
}

export const clearCookie = (ctx: Context, suffix = ''): void =>
  setCookie(ctx, '', { suffix, maxAgeSeconds: 0 });

export function readCookie(ctx: Context, suffix = ''): string | undefined {
  const name = nameFor(ctx, suffix);
  return readCookies(ctx.get('cookie')).find(([found]) => found === name)?.[1] || undefined;
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
export function requireOwnPage(ctx: Context): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const isOwn = (!site || site === 'same-origin') && (!origin || hostOf(origin) === publicAddress(ctx).host);
  if (!isOwn || !ctx.get(CONSOLE_HEADER))
    throw new Forbidden(`With a cookie, send X-Slipway-Console from the platform's own pages`);
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;
