import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** What a request names itself by, beside its address. */
export interface Credential {
  kind: 'key' | 'user';
  /** A digest: what is named so is written down, and must not let anybody in. */
  digest: string;
}

const digest = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

// Of who signed in from a browser: it stands for a key, too.
const SESSION = /(?:^|;\s*)(?:__Host-)?slipway=([\w-]+)/;

/** A bearer token stands for the key it is in place of; with a key, x-user-id says nothing (contract §3.1). */
export function credentialOf(ctx: Context, address: string): Credential | undefined {
  const key =
    ctx.get('x-api-key') ||
    /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ||
    SESSION.exec(ctx.get('cookie'))?.[1];
  if (key) return { kind: 'key', digest: digest('key', key) };
  const user = ctx.get('x-user-id');
  return user ? { kind: 'user', digest: digest('user', user, address) } : undefined;
}

export const addressDigest = (address: string): string => digest('ip', address);
