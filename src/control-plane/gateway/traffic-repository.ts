import type { Queryable } from '../../platform/db/database.ts';

/** The part of a deployment's threads that a revision has. */
export interface Share {
  revision_id: string;
  percent: number;
}

export async function listTraffic(db: Queryable, deploymentId: string): Promise<Share[]> {
  const { rows } = await db.query<Share>(
    'select revision_id, percent from control_plane.traffic where deployment_id = $1 order by revision_id',
    [deploymentId],
  );
  return rows;
}

/** Sets all shares at once; returns those revisions that are not the deployment's, and then changes nothing. */
export async function replaceTraffic(
  tx: Queryable,
  deploymentId: string,
  shares: Share[],
): Promise<string[]> {
  const ids = shares.map(({ revision_id }) => revision_id);
  const { rows } = await tx.query<{ id: string }>(
    `select id from unnest($2::uuid[]) named (id)
     where not exists (select from control_plane.revision r where r.id = named.id and r.deployment_id = $1)`,
    [deploymentId, ids],
  );
  if (rows.length > 0) return rows.map(({ id }) => id);
  await tx.query('delete from control_plane.traffic where deployment_id = $1', [deploymentId]);
  await tx.query(
    `insert into control_plane.traffic (deployment_id, revision_id, percent)
     select $1, * from unnest($2::uuid[], $3::integer[])`,
    [deploymentId, ids, shares.map(({ percent }) => percent)],
  );
  return [];
}
