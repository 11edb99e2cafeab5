import type { Queryable } from '../../platform/db/database.ts';

/** A revision that may answer, and where its instances are reached. */
export interface Target {
  revision_id: string;
  /** Share of the deployment's threads; null for the revision that has the rest. */
  percent: number | null;
  urls: string[];
}

/** Who answers for a deployment or a revision: nobody yet, when there is no target. */
export type GatewayRoute = Target[];

// What the drivers write; read nowhere else.
const URLS = `array(select i.url from control_plane.instance i
  where i.revision_id = r.id and i.state = 'running' and i.url is not null order by i.url)`;

/** Undefined for a deployment there is none of. Canaries come first, in an order that does not change. */
export async function findDeploymentRoute(db: Queryable, id: string): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<{ [Key in keyof Target]: Target[Key] | null }>(
    `select r.id as revision_id, t.percent, ${URLS} as urls
     from control_plane.deployment d
     left join control_plane.revision r on r.id = d.active_revision_id
       or r.id in (select revision_id from control_plane.traffic where deployment_id = d.id)
     left join control_plane.traffic t on t.deployment_id = d.id and t.revision_id = r.id
       and r.id is distinct from d.active_revision_id
     where d.id = $1 order by t.percent is null, r.id`,
    [id],
  );
  return rows.length > 0 ? (rows.filter(({ revision_id }) => revision_id) as GatewayRoute) : undefined;
}

/** Undefined for a revision there is none of. */
export async function findRevisionRoute(db: Queryable, id: string): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<Target>(
    `select r.id as revision_id, null::integer as percent, ${URLS} as urls
     from control_plane.revision r where r.id = $1`,
    [id],
  );
  return rows.length > 0 ? rows : undefined;
}
