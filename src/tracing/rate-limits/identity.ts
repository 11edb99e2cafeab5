import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiKeyOf } from '../../platform/http/api-key-header.ts';
import { readCookie } from '../../platform/http/own-cookie.ts';

/** Credential of a request, which identifies it along with its address. */
export interface Credential {
  kind: 'key' | 'user';
  /** A digest, because it is stored and must not work as a credential. */
  digest: string;
  /** Whether it still has to be authenticated. */
  needsProof: boolean;
}

const digest = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/**
 * Console sessions, identity-provider tokens, and x-user-id from trusted callers identify users. Everything else,
 * including other bearer tokens, is a key.
 */
export function credentialOf(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { address, isTrusted }: { address: string; isTrusted: boolean },
): Credential | undefined {
  const { headers } = request;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const key = apiKeyOf(headers) || (JWT.test(bearer) ? '' : bearer);
  const person = key ? '' : bearer || (readCookie(request) ?? '');
  const user = isTrusted ? String(headers['x-user-id'] ?? '') : '';
  if (user)
    return { kind: 'user', digest: digest('user', user, address, key), needsProof: Boolean(key || person) };
  if (key) return { kind: 'key', digest: digest('key', key), needsProof: true };
  return person ? { kind: 'user', digest: digest('user', person, address), needsProof: true } : undefined;
}

export const addressDigest = (address: string): string => digest('ip', address);
