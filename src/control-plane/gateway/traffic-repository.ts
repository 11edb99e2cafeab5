import type { Queryable } from '../../platform/db/database.ts';

/** A revision's share of its deployment's threads. */
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

/** Sets all shares. If some revisions belong to another deployment, returns them and changes nothing. */
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

/** Sets a revision's share; 0 removes it. Returns the deployment's total. */
export async function setShare(
  tx: Queryable,
  deploymentId: string,
  { revision_id, percent }: Share,
): Promise<number> {
  if (percent === 0)
    await tx.query('delete from control_plane.traffic where deployment_id = $1 and revision_id = $2', [
      deploymentId,
      revision_id,
    ]);
  else
    await tx.query(
      `insert into control_plane.traffic (deployment_id, revision_id, percent) values ($1, $2, $3)
       on conflict (deployment_id, revision_id) do update set percent = excluded.percent`,
      [deploymentId, revision_id, percent],
    );
  const { rows } = await tx.query<{ total: number }>(
    'select coalesce(sum(percent), 0)::integer as total from control_plane.traffic where deployment_id = $1',
    [deploymentId],
  );
  return rows[0]!.total;
}

/** The given revisions that run without being active. */
export async function listRunning(tx: Queryable, deploymentId: string, shares: Share[]): Promise<Share[]> {
  const { rows } = await tx.query<{ revision_id: string }>(
    `select distinct i.revision_id from control_plane.instance i join control_plane.deployment d on d.id = $1
     where i.revision_id = any($2) and i.state = 'running' and i.revision_id is distinct from d.active_revision_id`,
    [deploymentId, shares.map(({ revision_id }) => revision_id)],
  );
  const running = new Set(rows.map(({ revision_id }) => revision_id));
  return shares.filter(({ revision_id }) => running.has(revision_id));
}
