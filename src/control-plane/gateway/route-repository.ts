import type { Queryable } from '../../platform/db/database.ts';
import type { AgentAccess } from '../records/deployment.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import { openGatewayToken } from './gateway-token.ts';

/** A revision that may answer, and the addresses of its instances. */
export interface Target {
  revision_id: string;
  /** Share of the deployment's threads; null for the active revision, which has the rest. */
  percent: number | null;
  urls: string[];
  /** Whether it is on trial, or has a share without being active. */
  is_canary: boolean;
  /** Workspace of the deployment. */
  tenant_id: string;
  access: AgentAccess;
  /** Whether the project brings its own authentication. */
  own_auth: boolean;
  /** The instances' gateway token; null if they need none. */
  token: string | null;
}

/** Targets of a deployment or revision; empty while none is ready. */
export type GatewayRoute = Target[];
type Row = Omit<Target, 'token'> & { token: Buffer | null };

const opened = (box: SealedBox, rows: Row[]): GatewayRoute =>
  rows.map((row) => ({
    ...row,
    token: row.token && openGatewayToken(box, row.revision_id, row.token),
  }));

// Written by the drivers; read only here.
const URLS = `array(select i.url from control_plane.instance i
  where i.revision_id = r.id and i.state = 'running' and i.url is not null order by i.url)`;
const IS_WATCHED = `exists (select from control_plane.canary c where c.revision_id = r.id and c.state = 'watched')`;
const TOKEN = '(select token from control_plane.gateway_token g where g.revision_id = r.id)';

/** Undefined for an unknown deployment. Canaries come first, in a stable order. */
export async function findDeploymentRoute(
  db: Queryable,
  box: SealedBox,
  id: string,
): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<{ [Key in keyof Row]: Row[Key] | null }>(
    `select r.id as revision_id, t.percent, t.percent is not null as is_canary,
       d.tenant_id, d.access, r.own_auth, ${URLS} as urls, ${TOKEN} as token
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

/** Undefined for an unknown revision. A canary is never open to strangers here: it is judged by its runs. */
export async function findRevisionRoute(
  db: Queryable,
  box: SealedBox,
  id: string,
): Promise<GatewayRoute | undefined> {
  const { rows } = await db.query<Row>(
    `select r.id as revision_id, null::integer as percent, is_canary, d.tenant_id,
       case when is_canary then 'private' else d.access end as access, r.own_auth and not is_canary as own_auth,
       ${URLS} as urls, ${TOKEN} as token
     from control_plane.revision r join control_plane.deployment d on d.id = r.deployment_id,
       lateral (select ${IS_WATCHED} as is_canary) where r.id = $1`,
    [id],
  );
  return rows.length > 0 ? opened(box, rows) : undefined;
}
