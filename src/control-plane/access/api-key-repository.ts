import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import type { Role } from '../principal.ts';

export interface ApiKey {
  id: string;
  tenant_id: string | null;
  name: string;
  role: Role;
}

const PREFIX = 'slp_';
const SECRET_BYTES = 32;
const HINT_LENGTH = 4;

/** Secrets are random, so a plain hash can't be reversed. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Of an API key `k`. */
export const IS_VALID =
  '(k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()))';

/** A new key. Only its hash is stored. */
export const newApiKey = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

export const isApiKey = (text: string): boolean => text.startsWith(PREFIX);

export async function insertApiKey(
  db: Queryable,
  key: string,
  about: Omit<ApiKey, 'id'> & {
    expires_at?: Date | null;
    /** Set on the key of a deployment's agents; there is one per deployment. */
    deployment?: { id: string; sealed: Buffer };
  },
): Promise<ApiKey> {
  const { tenant_id, name, role, expires_at = null, deployment } = about;
  const id = uuid7();
  await db.query(
    `insert into control_plane.api_key (id, hash, hint, tenant_id, name, role, expires_at, deployment_id, sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      id,
      hashOf(key),
      key.slice(-HINT_LENGTH),
      tenant_id,
      name,
      role,
      expires_at,
      deployment?.id ?? null,
      deployment?.sealed ?? null,
    ],
  );
  return { id, tenant_id, name, role };
}

/** Undefined for an unknown, revoked or expired key. */
export async function findApiKey(db: Queryable, key: string): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>(
    `select id, tenant_id, name, role from control_plane.api_key k where hash = $1 and ${IS_VALID}`,
    [hashOf(key)],
  );
  return rows[0];
}

/** The public part of a key. */
export interface ApiKeyRow extends ApiKey {
  hint: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Keys of one tenant, newest first, without keys valid for every tenant. */
export async function listApiKeys(
  db: Queryable,
  tenantId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>(
    `select id, hint, tenant_id, name, role, created_at, expires_at, revoked_at from control_plane.api_key
     where tenant_id = $1 order by created_at desc, id desc limit $2 offset $3`,
    [tenantId, limit, offset],
  );
  return rows;
}

/** False when the tenant has no such key. Idempotent. */
export async function revokeApiKey(db: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.api_key set revoked_at = coalesce(revoked_at, clock_timestamp())
     where tenant_id = $1 and id = $2`,
    [tenantId, id],
  );
  return rowCount === 1;
}

export async function countApiKeys(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) from control_plane.api_key');
  return rows[0]!.count;
}
