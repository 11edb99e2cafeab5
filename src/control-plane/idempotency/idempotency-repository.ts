import type { Queryable } from '../../platform/db/database.ts';

/** A request with an Idempotency-Key, as stored. */
export interface KeyedRequest {
  fingerprint: string;
  seed: string;
  /** Null while in progress. */
  status: number | null;
  etag: string | null;
  answer: Buffer | null;
}

const KEPT = `interval '24 hours'`;
// Longer than any request takes: one still in progress after that died with its process.
const LOST = `interval '2 minutes'`;

/** Claims the key for this request; undefined when it is taken. */
export async function claimKey(
  db: Queryable,
  tenantId: string,
  key: string,
  fingerprint: string,
): Promise<Pick<KeyedRequest, 'seed'> | undefined> {
  await db.query(`delete from control_plane.idempotency_key where created_at < clock_timestamp() - ${KEPT}`);
  const { rows } = await db.query<{ seed: string }>(
    `insert into control_plane.idempotency_key as taken (tenant_id, key, fingerprint) values ($1, $2, $3)
     on conflict (tenant_id, key) do update set claimed_at = clock_timestamp()
       where taken.status is null and taken.fingerprint = $3 and taken.claimed_at < clock_timestamp() - ${LOST}
     returning seed`,
    [tenantId, key, fingerprint],
  );
  return rows[0];
}

export async function findKey(
  db: Queryable,
  tenantId: string,
  key: string,
): Promise<KeyedRequest | undefined> {
  const { rows } = await db.query<KeyedRequest>(
    `select fingerprint, seed, status, etag, answer from control_plane.idempotency_key
     where tenant_id = $1 and key = $2`,
    [tenantId, key],
  );
  return rows[0];
}

/** Stores the response for replays. */
export async function keepAnswer(
  db: Queryable,
  tenantId: string,
  key: string,
  { status, etag, answer }: Pick<KeyedRequest, 'status' | 'etag' | 'answer'>,
): Promise<void> {
  await db.query(
    `update control_plane.idempotency_key set status = $3, etag = $4, answer = $5
     where tenant_id = $1 and key = $2`,
    [tenantId, key, status, etag, answer],
  );
}

/** Frees the key of a refused request, so that a corrected one can use it. */
export async function releaseKey(db: Queryable, tenantId: string, key: string): Promise<void> {
  await db.query(
    'delete from control_plane.idempotency_key where tenant_id = $1 and key = $2 and status is null',
    [tenantId, key],
  );
}

/** Lets a retry run at once, with the same ids. */
export async function abandonKey(db: Queryable, tenantId: string, key: string): Promise<void> {
  await db.query(
    `update control_plane.idempotency_key set claimed_at = '-infinity'
     where tenant_id = $1 and key = $2 and status is null`,
    [tenantId, key],
  );
}
