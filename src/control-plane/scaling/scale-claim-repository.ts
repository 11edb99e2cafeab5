import type { Queryable } from '../../platform/db/database.ts';

/** Lifetime of a claim on a revision, in seconds. */
const CLAIM_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 60;
const CLAIMED = `clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})`;

/** A revision whose replicas differ from the wanted number. */
export interface ScaleTask {
  revision_id: string;
  deployment_id: string;
  replicas: number;
  reached: number;
}

/** Claims a revision for scaling; undefined when claimed already or nothing is to do. */
export async function claimScale(db: Queryable, revisionId: string): Promise<ScaleTask | undefined> {
  const { rows } = await db.query<ScaleTask>(
    `update control_plane.scale s set claimed_until = ${CLAIMED} from control_plane.revision r
     where s.revision_id = $1 and r.id = s.revision_id and s.replicas <> s.reached
       and (s.claimed_until is null or s.claimed_until < clock_timestamp())
     returning s.revision_id, r.deployment_id, s.replicas, s.reached`,
    [revisionId],
  );
  return rows[0];
}

export async function renewClaim(db: Queryable, revisionId: string): Promise<void> {
  await db.query(`update control_plane.scale set claimed_until = ${CLAIMED} where revision_id = $1`, [
    revisionId,
  ]);
}

/** Releases the claim; `reached` records the new number. */
export async function releaseClaim(db: Queryable, revisionId: string, reached?: number): Promise<void> {
  await db.query(
    `update control_plane.scale set claimed_until = null, reached = coalesce($2, reached),
       failures = case when $2::integer is null then failures else 0 end where revision_id = $1`,
    [revisionId, reached ?? null],
  );
}

/** Backs off after a failure. */
export async function postponeScale(db: Queryable, revisionId: string): Promise<void> {
  await db.query(
    `update control_plane.scale set failures = failures + 1,
       claimed_until = clock_timestamp() + make_interval(secs => least(power(2, least(failures, 10)), $2))
     where revision_id = $1`,
    [revisionId, LONGEST_WAIT_SECONDS],
  );
}

/** Unclaimed revisions that differ from their wanted number. */
export async function listUnreached(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ revision_id: string }>(
    `select revision_id from control_plane.scale
     where replicas <> reached and (claimed_until is null or claimed_until < clock_timestamp())`,
  );
  return rows.map(({ revision_id }) => revision_id);
}
