import type { Queryable } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import type { DeploymentRow, DeploymentStatus } from './deployment.ts';

const COLUMNS = `d.id, d.tenant_id, d.name, d.display_name, d.access, d.source, d.source_config, d.status, d.latest_revision_id,
  d.active_revision_id, d.image_version, d.is_preview, d.preview_of, d.preview_number, d.remote_reconciled, d.version, d.created_at, d.updated_at,
  latest.source_revision_config, latest.environment, latest.secret_references`;
const FROM =
  'control_plane.deployment d left join control_plane.revision latest on latest.id = d.latest_revision_id';

export type NewDeployment = Pick<DeploymentRow, 'id' | 'tenant_id' | 'name' | 'source' | 'source_config'> &
  Partial<Pick<DeploymentRow, 'access' | 'is_preview' | 'preview_of' | 'preview_number'>>;

/** Returns false when the tenant has a deployment of that name. */
export async function insertDeployment(tx: Queryable, deployment: NewDeployment): Promise<boolean> {
  const { id, tenant_id, name, source, source_config } = deployment;
  const { access = 'private', is_preview = false, preview_of = null, preview_number = null } = deployment;
  const { rowCount } = await tx.query(
    `insert into control_plane.deployment (id, tenant_id, name, source, source_config, access, is_preview,
       preview_of, preview_number) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (tenant_id, name) do nothing`,
    [
      id,
      tenant_id,
      name,
      source,
      JSON.stringify(source_config),
      access,
      is_preview,
      preview_of,
      preview_number,
    ],
  );
  return rowCount === 1;
}

/** Finds a tenant's deployment; `lock` holds it until the transaction ends. */
export async function findDeployment(
  db: Queryable,
  tenantId: string,
  id: string,
  { lock = false } = {},
): Promise<DeploymentRow | undefined> {
  // On its own: a join that waits for the lock misses the latest revision if another transaction has just added it.
  if (lock)
    await db.query('select from control_plane.deployment where tenant_id = $1 and id = $2 for update', [
      tenantId,
      id,
    ]);
  const { rows } = await db.query<DeploymentRow>(
    `select ${COLUMNS} from ${FROM} where d.tenant_id = $1 and d.id = $2`,
    [tenantId, id],
  );
  return rows[0];
}

export interface DeploymentFilter {
  limit: number;
  offset: number;
  name?: string | undefined;
  name_contains?: string | undefined;
  statuses?: DeploymentStatus[] | undefined;
  ids?: string[] | undefined;
  remote_reconciled?: boolean | undefined;
  image_version?: string | undefined;
  deployment_type?: string | undefined;
}

/** Newest first. */
export async function listDeployments(
  db: Queryable,
  tenantId: string,
  filter: DeploymentFilter,
): Promise<DeploymentRow[]> {
  const where = new Where()
    .andEquals('d.tenant_id', tenantId)
    .andEquals('d.name', filter.name || undefined)
    .andAny('d.status', filter.statuses)
    .andAny('d.id', filter.ids)
    .andEquals('d.remote_reconciled', filter.remote_reconciled)
    .andEquals('d.image_version', filter.image_version)
    .andEquals(`d.source_config ->> 'deployment_type'`, filter.deployment_type);
  if (filter.name_contains) where.and`position(lower(${filter.name_contains}) in lower(d.name)) > 0`;
  const { rows } = await db.query<DeploymentRow>(
    `select ${COLUMNS} from ${FROM} ${where.text} order by d.created_at desc, d.id desc
     limit ${where.bind(filter.limit)} offset ${where.bind(filter.offset)}`,
    where.values,
  );
  return rows;
}

/** Deployments from git in the integration's tenant that match, without those that name another integration. */
export async function listFromGit(
  db: Queryable,
  { id, tenant_id }: { id: string; tenant_id: string },
  asking: 'build_on_push' | 'preview_pull_requests',
): Promise<DeploymentRow[]> {
  const { rows } = await db.query<DeploymentRow>(
    `select ${COLUMNS} from ${FROM} where d.tenant_id = $1 and d.source = 'git_host' and not d.is_preview
       and d.source_config -> $2 = 'true' and d.status not in ('AWAITING_DELETE', 'AWAITING_FINAL_DELETE')
       and not exists (select from control_plane.integration other where other.tenant_id = d.tenant_id
         and other.id::text = lower(d.source_config ->> 'integration_id') and other.id <> $3)
     order by d.created_at`,
    [tenant_id, asking, id],
  );
  return rows;
}

export async function countDeployments(db: Queryable, tenantId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) from control_plane.deployment where tenant_id = $1',
    [tenantId],
  );
  return rows[0]!.count;
}

/** Updates fields that need no new revision. */
export async function updateDeployment(
  tx: Queryable,
  {
    id,
    display_name,
    access,
    source_config,
  }: Pick<DeploymentRow, 'id' | 'display_name' | 'access' | 'source_config'>,
): Promise<void> {
  await tx.query(
    `update control_plane.deployment set display_name = $2, access = $3, source_config = $4,
       version = version + 1, updated_at = clock_timestamp() where id = $1`,
    [id, display_name, access, JSON.stringify(source_config)],
  );
}

export async function setDeploymentStatus(
  db: Queryable,
  id: string,
  status: DeploymentStatus,
  from?: DeploymentStatus[],
): Promise<boolean> {
  const where = new Where().andEquals('id', id).andAny('status', from);
  const { rowCount } = await db.query(
    `update control_plane.deployment set status = ${where.bind(status)}, updated_at = clock_timestamp() ${where.text}`,
    where.values,
  );
  return rowCount === 1;
}

/** Makes the revision active and records its address. */
export async function activateRevision(
  tx: Queryable,
  id: string,
  { revision_id, custom_url }: { revision_id: string; custom_url: string },
): Promise<void> {
  await tx.query(
    `update control_plane.deployment set active_revision_id = $2, status = 'READY',
       source_config = source_config || jsonb_build_object('custom_url', $3::text), updated_at = clock_timestamp()
     where id = $1`,
    [id, revision_id, custom_url],
  );
}

/** Returns false when it is deleted already. */
export async function deleteDeployment(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from control_plane.deployment where id = $1', [id]);
  return rowCount === 1;
}

export interface DeploymentStanding extends Pick<DeploymentRow, 'tenant_id' | 'active_revision_id'> {
  is_going: boolean;
}

/** Finds a deployment of any tenant; `lock` holds it until the transaction ends. */
export async function findDeploymentStanding(
  db: Queryable,
  id: string,
  { lock = false } = {},
): Promise<DeploymentStanding | undefined> {
  const { rows } = await db.query<DeploymentStanding>(
    `select tenant_id, active_revision_id, status like 'AWAITING%DELETE' as is_going
     from control_plane.deployment where id = $1 ${lock ? 'for update' : ''}`,
    [id],
  );
  return rows[0];
}

/** Locks the deployment and returns its active revision. */
export async function findServing(tx: Queryable, id: string): Promise<string | null> {
  const { rows } = await tx.query<{ active_revision_id: string | null }>(
    'select active_revision_id from control_plane.deployment where id = $1 for update',
    [id],
  );
  return rows[0]?.active_revision_id ?? null;
}

/** Whether images may still be pushed for a deployment. */
export async function takesImages(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from control_plane.deployment where id = $1 and source = 'internal_container'
       and status not in ('AWAITING_DELETE', 'AWAITING_FINAL_DELETE')`,
    [id],
  );
  return rowCount === 1;
}

/** Filters out deleted deployments. */
export async function existingDeployments(db: Queryable, ids: string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from control_plane.deployment where id = any($1)',
    [ids],
  );
  return rows.map(({ id }) => id);
}
