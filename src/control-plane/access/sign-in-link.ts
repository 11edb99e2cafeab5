import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Queryable } from '../../platform/db/database.ts';
import { publicAddressOf } from '../../platform/http/public-address.ts';
import { isLoopback } from '../../platform/network-address.ts';
import { type ApiKey, findApiKey, hashOf, IS_VALID } from './api-key-repository.ts';
import { Forbidden } from '../principal.ts';

const TOKEN_BYTES = 32;
export const LINK_MINUTES = 10;
export const LINK_TOKEN = '^[\\w-]{43}$';

/** The token of a link that signs in as an API key, once; undefined if the key isn't valid. Only its hash is stored. */
export async function makeSignInLink(db: Queryable, key: string): Promise<string | undefined> {
  const found = await findApiKey(db, key);
  if (!found) return undefined;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await db.query(
    `with expired as (delete from control_plane.sign_in_link where expires_at < clock_timestamp())
     insert into control_plane.sign_in_link (hash, api_key_id, expires_at)
     values ($1, $2, clock_timestamp() + make_interval(mins => $3))`,
    [hashOf(token), found.id, LINK_MINUTES],
  );
  return token;
}

/** Uses a link up; undefined if it is unknown, used or expired, or its key is no longer valid. */
export async function redeemSignInLink(tx: Queryable, token: string): Promise<ApiKey | undefined> {
  const { rows } = await tx.query<ApiKey>(
    `delete from control_plane.sign_in_link l using control_plane.api_key k
     where l.hash = $1 and l.expires_at > clock_timestamp() and k.id = l.api_key_id and ${IS_VALID}
     returning k.id, k.tenant_id, k.name, k.role`,
    [hashOf(token)],
  );
  return rows[0];
}

/** Rejects callers on other machines, and pages that reach this one under another name. Throws Forbidden. */
export function requireThisMachine(request: IncomingMessage): void {
  const { host } = publicAddressOf(request);
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (!isLoopback(request.socket.remoteAddress ?? '') || !isLoopback(name.replace(/^\[(.*)\]$/, '$1')))
    throw new Forbidden('This link works only on the machine of the platform');
}
