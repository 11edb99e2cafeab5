import type { Queryable } from '../../platform/db/database.ts';
import type { AgentAccess } from '../deployments/deployment.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import { openGatewayToken } from './gateway-token.ts';

/** A revision that may answer, and where its instances are reached. */
export interface Target {
  revision_id: string;
  /** Share of the deployment's threads; null for the revision that has the rest. */
  percent: number | null;
  urls: string[];
  /** Workspace of the deployment. */
  tenant_id: string;
  access: AgentAccess;
  /** The project has authentication of its own. */
  own_auth: boolean;
  /** What its instances want to hear; null where they were told of none. */
  token: string | null;
}

/** Who answers for a deployment or a revision: nobody yet, when there is no target. */
export type GatewayRoute = Target[];
type Row = Omit<Target, 'token'> & { token: Buffer | null };

const opened = (box: SealedBox, rows: Row[]): GatewayRoute =>
  rows.map((row) => ({
    ...row,
    token: row.token && openGatewayToken(box, row.revision_id, row.token),
  }));

// What the drivers write; read nowhere else.
const URLS = `array(select i.url from control_plane.instance i
  where i.revision_id = r.id and i.state = 'running' and i.url is not null order by i.url)`;
const ACCESS = 'd.tenant_id, d.access, r.own_auth';
const TOKEN = '(select token from control_plane.gateway_token g where g.revision_id = r.id)';

/** Undefined for a deployment there is none of. Canaries come first, in an order that does not change. */
export async function findDeploymentRoute(
  db: Queryable,
  box: SealedBox,
  id: string,
): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<{ [Key in keyof Row]: Row[Key] | null }>(
    `select r.id as revision_id, t.percent, ${ACCESS}, ${URLS} as urls, ${TOKEN} as token
     from control_plane.deployment d
     left join control_plane.revision r on r.id = d.active_revision_id
       or r.id in (select revision_id from control_plane.traffic where deployment_id = d.id)
     left join control_plane.traffic t on t.deployment_id = d.id and t.revision_id = r.id
       and r.id is distinct from d.active_revision_id
     where d.id = $1 order by t.percent is null, r.id`,
    [id],
  );
  return rows.length > 0 ? opened(box, rows.filter(({ revision_id }) => revision_id) as Row[]) : undefined;
}

/** Undefined for a revision there is none of. */
export async function findRevisionRoute(
  db: Queryable,
  box: SealedBox,
  id: string,
): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<Row>(
    `select r.id as revision_id, null::integer as percent, ${ACCESS}, ${URLS} as urls, ${TOKEN} as token
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id where r.id = $1`,
    [id],
  );
  return rows.length > 0 ? opened(box, rows) : undefined;
}
