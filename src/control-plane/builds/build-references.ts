import type { Queryable } from '../../platform/db/database.ts';

/** Artifacts that a revision can still be deployed from. */
export async function listArtifactsInUse(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ artifact: string }>(
    // That of an image is its address.
    `select distinct artifact from control_plane.revision where artifact like 'sha256:%'`,
  );
  return rows.map(({ artifact }) => artifact);
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
