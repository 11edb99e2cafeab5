import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { apiKeyOf } from '../../platform/http/api-key-header.ts';

/** What a request names itself by, beside its address. */
export interface Credential {
  kind: 'key' | 'user';
  /** A digest: what is named so is written down, and must not let anybody in. */
  digest: string;
  /** It may be a guess until the request is authenticated. */
  needsProof: boolean;
}

const digest = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

const SESSION = /(?:^|;\s*)(?:__Host-)?slipway=([\w-]+)/;
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/**
 * A person is a user: signed in to the console, known by a token of the identity provider, or named in x-user-id by a
 * caller that is trusted. Anything else is a key, a bearer token of another kind too.
 */
export function credentialOf(
  headers: IncomingHttpHeaders,
  { address, isTrusted }: { address: string; isTrusted: boolean },
): Credential | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const key = apiKeyOf(headers) || (JWT.test(bearer) ? '' : bearer);
  const person = key ? '' : bearer || (SESSION.exec(headers.cookie ?? '')?.[1] ?? '');
  const user = isTrusted ? String(headers['x-user-id'] ?? '') : '';
  if (user)
    return { kind: 'user', digest: digest('user', user, address, key), needsProof: Boolean(key || person) };
  if (key) return { kind: 'key', digest: digest('key', key), needsProof: true };
  return person ? { kind: 'user', digest: digest('user', person, address), needsProof: true } : undefined;
}

export const addressDigest = (address: string): string => digest('ip', address);
