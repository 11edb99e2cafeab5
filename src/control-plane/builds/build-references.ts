import type { Queryable } from '../../platform/db/database.ts';

/** Artifacts a revision can still be deployed from. */
export async function listArtifactsInUse(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ artifact: string }>(
    // For images, `artifact` is an address.
    `select distinct artifact from control_plane.revision where artifact like 'sha256:%'`,
  );
  return rows.map(({ artifact }) => artifact);
}

/** Revision `r` runs, or may still be deployed. */
const IS_USED = `(r.status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'UNKNOWN')
  or exists (select from control_plane.deployment d where r.id in (d.active_revision_id, d.latest_revision_id))
  or exists (select from control_plane.traffic t where t.revision_id = r.id)
  or exists (select from control_plane.instance i where i.revision_id = r.id))`;

/** Ids of revisions that are neither in use nor among the newest of their deployment. */
const superfluous = (what: string, isKept: string) => `
  with made as (select r.*, ${what} as made_of from control_plane.revision r where ${isKept}),
  newest as (
    select deployment_id, made_of, row_number() over (partition by deployment_id order by max(number) desc) as rank
    from made group by deployment_id, made_of)
  select m.id from made m join newest n on n.deployment_id = m.deployment_id and n.made_of = m.made_of
  where n.rank > $1 and not exists (
    select from made r where r.deployment_id = m.deployment_id and r.made_of = m.made_of and ${IS_USED})`;

/**
 * Releases artifacts that are neither in use nor among the newest of their deployment; those revisions can't be
 * redeployed. The next sweep deletes the files, so that a concurrent reference keeps them. Returns the number of
 * revisions.
 */
export async function releaseArtifacts(db: Queryable, keep: number): Promise<number> {
  const { rowCount } = await db.query(
    `update control_plane.revision set artifact = null
     where id in (${superfluous('r.artifact', `r.artifact like 'sha256:%'`)})`,
    [keep],
  );
  return rowCount ?? 0;
}

// Pushed to our registry; images elsewhere aren't ours to delete.
const DIGEST = `substring(r.source_revision_config ->> 'image_uri'
  from '^[^/]+/d/' || r.deployment_id || '(?:/[^@]*)?@(sha256:[0-9a-f]{64})$')`;
const IS_PUSHED = `r.source = 'internal_container' and ${DIGEST} is not null`;

/** The same for pushed images. */
export async function releaseImages(db: Queryable, keep: number): Promise<number> {
  const { rowCount } = await db.query(
    `update control_plane.revision set image_released = true
     where not image_released and id in (${superfluous(DIGEST, `${IS_PUSHED} and not r.image_released`)})`,
    [keep],
  );
  return rowCount ?? 0;
}

/** Uploads that the latest revision, or one in progress, is built from. */
export async function listUploadsInUse(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ path: string }>(
    `select distinct r.source_revision_config ->> 'source_tarball_path' as path
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id
     where r.source_revision_config ->> 'source_tarball_path' is not null
       and (d.latest_revision_id = r.id
         or r.status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'))`,
  );
  return rows.map(({ path }) => path);
}

/** Digests of images that revisions use: those that may be redeployed, or those released. */
export async function listImages(
  db: Queryable,
  deploymentId: string,
  { released }: { released: boolean },
): Promise<string[]> {
  const { rows } = await db.query<{ digest: string }>(
    `select distinct ${DIGEST} as digest from control_plane.revision r
     where r.deployment_id = $1 and ${IS_PUSHED} and r.image_released = $2`,
    [deploymentId, released],
  );
  return rows.map(({ digest }) => digest);
}
