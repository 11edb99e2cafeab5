import type { Queryable } from '../../platform/db/database.ts';

/** Artifacts that a revision can still be deployed from. */
export async function listArtifactsInUse(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ artifact: string }>(
    // That of an image is its address.
    `select distinct artifact from control_plane.revision where artifact like 'sha256:%'`,
  );
  return rows.map(({ artifact }) => artifact);
}

/** Something may still be made of revision `r`, or runs. */
const IS_USED = `(r.status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'UNKNOWN')
  or exists (select from control_plane.deployment d where r.id in (d.active_revision_id, d.latest_revision_id))
  or exists (select from control_plane.traffic t where t.revision_id = r.id)
  or exists (select from control_plane.instance i where i.revision_id = r.id))`;

/** Ids of revisions of what is neither in use nor among the newest so many of their deployment. */
const superfluous = (what: string, isKept: string) => `
  with made as (select r.*, ${what} as made_of from control_plane.revision r where ${isKept}),
  newest as (
    select deployment_id, made_of, row_number() over (partition by deployment_id order by max(number) desc) as rank
    from made group by deployment_id, made_of)
  select m.id from made m join newest n on n.deployment_id = m.deployment_id and n.made_of = m.made_of
  where n.rank > $1 and not exists (
    select from made r where r.deployment_id = m.deployment_id and r.made_of = m.made_of and ${IS_USED})`;

/**
 * Lets go of artifacts that are neither in use nor among the newest of their deployment: their revisions cannot be
 * deployed again. The files go with the next turn, so that whatever named one just now keeps it. Returns how many
 * revisions it was.
 */
export async function releaseArtifacts(db: Queryable, keep: number): Promise<number> {
  const { rowCount } = await db.query(
    `update control_plane.revision set artifact = null
     where id in (${superfluous('r.artifact', `r.artifact like 'sha256:%'`)})`,
    [keep],
  );
  return rowCount ?? 0;
}

// Pushed to us; what is in another registry is not ours to remove.
const DIGEST = `substring(r.source_revision_config ->> 'image_uri'
  from '^[^/]+/d/' || r.deployment_id || '(?:/[^@]*)?@(sha256:[0-9a-f]{64})$')`;
const IS_PUSHED = `r.source = 'internal_container' and ${DIGEST} is not null`;

/** The same of images that clients have pushed. */
export async function releaseImages(db: Queryable, keep: number): Promise<number> {
  const { rowCount } = await db.query(
    `update control_plane.revision set image_released = true
     where not image_released and id in (${superfluous(DIGEST, `${IS_PUSHED} and not r.image_released`)})`,
    [keep],
  );
  return rowCount ?? 0;
}

/** Uploads that the latest revision of a deployment, or one on its way, is made of. */
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

/** Digests of images that revisions of a deployment are made of: those that may be deployed again, or those let go. */
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
