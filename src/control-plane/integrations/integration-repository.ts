import type { Queryable } from '../../platform/db/database.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import type { Credentials, IntegrationRow } from './integration.ts';

const COLUMNS = `i.id, i.tenant_id, i.name, i.kind, i.url, i.api_url, i.credentials, i.webhook_secret, i.repositories,
  i.created_at, i.updated_at`;

export type NewIntegration = Omit<IntegrationRow, 'created_at' | 'updated_at'>;

/** Undefined when the name is taken. */
export async function insertIntegration(
  tx: Queryable,
  integration: NewIntegration,
): Promise<IntegrationRow | undefined> {
  const { id, tenant_id, name, kind, url, api_url, credentials, webhook_secret, repositories } = integration;
  const { rows } = await tx.query<IntegrationRow>(
    `insert into control_plane.integration as i (id, tenant_id, name, kind, url, api_url, credentials, webhook_secret,
       repositories) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (tenant_id, name) do nothing returning ${COLUMNS}`,
    [id, tenant_id, name, kind, url, api_url, credentials, webhook_secret, JSON.stringify(repositories)],
  );
  return rows[0];
}

/** Updates the changeable columns. */
export async function updateIntegration(
  tx: Queryable,
  { id, url, api_url, credentials, webhook_secret, repositories }: IntegrationRow,
): Promise<void> {
  await tx.query(
    `update control_plane.integration set url = $2, api_url = $3, credentials = $4, webhook_secret = $5,
       repositories = $6, updated_at = clock_timestamp() where id = $1`,
    [id, url, api_url, credentials, webhook_secret, JSON.stringify(repositories)],
  );
}

/** A tenant's integrations, by name. */
export async function listIntegrations(db: Queryable, tenantId: string): Promise<IntegrationRow[]> {
  const { rows } = await db.query<IntegrationRow>(
    `select ${COLUMNS} from control_plane.integration i where i.tenant_id = $1 order by i.name`,
    [tenantId],
  );
  return rows;
}

/**
 * Finds a tenant's integration; without a tenant, any one, for events authenticated by signature. `lock` holds it until
 * the transaction ends.
 */
export async function findIntegration(
  db: Queryable,
  id: string,
  tenantId?: string,
  { lock = false } = {},
): Promise<IntegrationRow | undefined> {
  const { rows } = await db.query<IntegrationRow>(
    `select ${COLUMNS} from control_plane.integration i
     where i.id = $1 and ($2::uuid is null or i.tenant_id = $2) ${lock ? 'for update' : ''}`,
    [id, tenantId ?? null],
  );
  return rows[0];
}

/** The integration a deployment names, if it belongs to the same tenant. */
export async function findIntegrationOf(
  db: Queryable,
  deploymentId: string,
  integrationId: unknown,
): Promise<IntegrationRow | undefined> {
  if (typeof integrationId !== 'string') return undefined;
  const { rows } = await db.query<IntegrationRow>(
    `select ${COLUMNS} from control_plane.integration i join control_plane.deployment d using (tenant_id)
     where d.id = $1 and i.id::text = lower($2)`,
    [deploymentId, integrationId],
  );
  return rows[0];
}

/** False when the tenant has no such integration. */
export async function deleteIntegration(tx: Queryable, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from control_plane.integration where tenant_id = $1 and id = $2',
    [tenantId, id],
  );
  return rowCount === 1;
}

export const sealCredentials = (box: SealedBox, id: string, credentials: Credentials): Buffer | null =>
  Object.keys(credentials).length > 0
    ? box.seal(JSON.stringify(credentials), `integration/${id}/credentials`)
    : null;

export const openCredentials = (
  box: SealedBox,
  { id, credentials }: Pick<IntegrationRow, 'id' | 'credentials'>,
): Credentials =>
  credentials ? (JSON.parse(box.open(credentials, `integration/${id}/credentials`)) as Credentials) : {};

export const sealWebhookSecret = (box: SealedBox, id: string, secret: string): Buffer =>
  box.seal(secret, `integration/${id}/webhook`);

export const openWebhookSecret = (
  box: SealedBox,
  { id, webhook_secret }: Pick<IntegrationRow, 'id' | 'webhook_secret'>,
): string | undefined => (webhook_secret ? box.open(webhook_secret, `integration/${id}/webhook`) : undefined);
