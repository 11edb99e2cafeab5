import type { Queryable } from '../../platform/db/database.ts';

/** Artifacts that a revision can still be deployed from. */
export async function listArtifactsInUse(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ artifact: string }>(
    // That of an image is its address.
    `select distinct artifact from control_plane.revision where artifact like 'sha256:%'`,
  );
  return rows.map(({ artifact }) => artifact);
}

/**
 * Lets go of artifacts that are neither in use nor among the newest of their deployment: their revisions cannot be
 * deployed again. The files go with the next turn, so that whatever named one just now keeps it. Returns how many
 * revisions it was.
 */
export async function releaseArtifacts(db: Queryable, keep: number): Promise<number> {
  const { rowCount } = await db.query(
    `with newest as (
       select deployment_id, artifact, row_number() over (partition by deployment_id order by max(number) desc) as rank
       from control_plane.revision where artifact like 'sha256:%' group by deployment_id, artifact)
     update control_plane.revision r set artifact = null from newest
     where newest.deployment_id = r.deployment_id and newest.artifact = r.artifact and newest.rank > $1
       and not exists (
         select from control_plane.revision user_of where user_of.deployment_id = r.deployment_id
           and user_of.artifact = r.artifact
           and (user_of.status in ('CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING',
               'UNKNOWN')
             or exists (select from control_plane.deployment d where d.active_revision_id = user_of.id)
             or exists (select from control_plane.traffic t where t.revision_id = user_of.id)
             or exists (select from control_plane.instance i where i.revision_id = user_of.id)))`,
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

/** Digests of the images that revisions of a deployment are made of; each may be deployed again. */
export async function listImagesInUse(db: Queryable, deploymentId: string): Promise<string[]> {
  const { rows } = await db.query<{ digest: string }>(
    `select distinct substring(source_revision_config ->> 'image_uri' from 'sha256:[0-9a-f]{64}$') as digest
     from control_plane.revision where deployment_id = $1 and source = 'internal_container'
       and source_revision_config ->> 'image_uri' ~ 'sha256:[0-9a-f]{64}$'`,
    [deploymentId],
  );
  return rows.map(({ digest }) => digest);
}
