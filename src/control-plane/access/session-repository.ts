import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { hashOf, IS_VALID } from './api-key-repository.ts';
import type { Grant, Role, Session } from '../principal.ts';

const SECRET_BYTES = 32;
const KEPT_DAYS = 30;
const USED_EVERY = '1 minute';

/** The public part of a session. */
export interface SessionRow {
  id: string;
  name: string;
  role: Role;
  method: 'api_key' | 'oidc';
  user_agent: string | null;
  created_at: string;
  used_at: string;
  expires_at: string;
}

/** Returns the secret for the cookie; only its hash is stored. */
export async function insertSession(
  db: Queryable,
  about: {
    name: string;
    grants: Grant[];
    seconds: number;
    user_agent: string | null;
    api_key_id?: string;
  },
): Promise<Session & { secret: string }> {
  const { name, grants, seconds, user_agent, api_key_id = null } = about;
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const id = uuid7();
  const { rows } = await db.query<{ expires_at: string }>(
    `insert into control_plane.session (id, hash, name, api_key_id, grants, user_agent, expires_at)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7)) returning expires_at`,
    [id, hashOf(secret), name, api_key_id, JSON.stringify(grants), user_agent, seconds],
  );
  return { id, name, grants, expires_at: rows[0]!.expires_at, secret };
}

const IS_OPEN = 's.revoked_at is null and s.expires_at > clock_timestamp()';
const KEY_IS_GOOD = `(s.api_key_id is null or ${IS_VALID})`;

/** Undefined for an unknown or expired session, or if its API key is no longer valid. */
export async function findSession(db: Queryable, secret: string): Promise<Session | undefined> {
  const { rows } = await db.query<Session & { is_stale: boolean }>(
    `select s.id, s.name, s.grants, s.expires_at, s.used_at < clock_timestamp() - interval '${USED_EVERY}' as is_stale
     from control_plane.session s left join control_plane.api_key k on k.id = s.api_key_id
     where s.hash = $1 and ${IS_OPEN} and ${KEY_IS_GOOD}`,
    [hashOf(secret)],
  );
  if (!rows[0]) return undefined;
  const { is_stale, ...session } = rows[0];
  if (is_stale)
    await db.query('update control_plane.session set used_at = clock_timestamp() where id = $1', [
      session.id,
    ]);
  return session;
}

const ofTenant = (tenantId: string): string => JSON.stringify([{ tenant_id: tenantId }]);

/** Open sessions of a tenant, newest first; optionally of one person. */
export async function listSessions(
  db: Queryable,
  tenantId: string,
  { limit, offset, name }: { limit: number; offset: number; name?: string | undefined },
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select s.id, s.name, g.role, case when s.api_key_id is null then 'oidc' else 'api_key' end as method,
       s.user_agent, s.created_at, s.used_at, s.expires_at
     from control_plane.session s left join control_plane.api_key k on k.id = s.api_key_id,
       jsonb_to_recordset(s.grants) as g (tenant_id uuid, role text)
     where s.grants @> $1::jsonb and g.tenant_id = $2 and ($3::text is null or s.name = $3)
       and ${IS_OPEN} and ${KEY_IS_GOOD}
     order by s.created_at desc, s.id desc limit $4 offset $5`,
    [ofTenant(tenantId), tenantId, name ?? null, limit, offset],
  );
  return rows;
}

/** False when the tenant or person has no such open session. */
export async function revokeSession(
  db: Queryable,
  tenantId: string,
  id: string,
  name?: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update control_plane.session set revoked_at = clock_timestamp()
     where id = $1 and grants @> $2::jsonb and revoked_at is null and ($3::text is null or name = $3)`,
    [id, ofTenant(tenantId), name ?? null],
  );
  return rowCount === 1;
}

/** Deletes sessions that ended long ago; the audit log keeps them. Returns how many. */
export async function forgetSessions(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from control_plane.session where expires_at < clock_timestamp() - interval '${KEPT_DAYS} days'`,
  );
  return rowCount ?? 0;
}
