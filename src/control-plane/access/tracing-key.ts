import type { Queryable } from '../../platform/db/database.ts';
import type { SealedBox } from '../secrets/sealed-box.ts';
import { insertApiKey, newApiKey } from './api-key-repository.ts';

/** The key with which a deployment's agents log runs. */
export interface TracingKey {
  key: string;
  /** Name of the deployment and of its tracing project. */
  project: string;
}

interface Found {
  tenant_id: string;
  name: string;
  sealed: Buffer | null;
  is_revoked: boolean | null;
}

const about = (deploymentId: string): string => `tracing-key/${deploymentId}`;

/**
 * Returns the key of a deployment's agents, creating it on first use; it may only log runs. Undefined after an
 * operator revoked it or the deployment was deleted.
 */
export async function ensureTracingKey(
  { db, box }: { db: Queryable; box: SealedBox },
  deploymentId: string,
): Promise<TracingKey | undefined> {
  let found = await findDeployment(db, deploymentId);
  if (found && !found.sealed) {
    const key = newApiKey();
    await insertApiKey(db, key, {
      tenant_id: found.tenant_id,
      name: `runs of ${found.name}`,
      role: 'tracer',
      deployment: { id: deploymentId, sealed: box.seal(key, about(deploymentId)) },
    });
    found = await findDeployment(db, deploymentId);
  }
  if (!found?.sealed || found.is_revoked) return undefined;
  return { key: box.open(found.sealed, about(deploymentId)), project: found.name };
}

async function findDeployment(db: Queryable, id: string): Promise<Found | undefined> {
  const { rows } = await db.query<Found>(
    `select d.tenant_id, d.name, k.sealed, k.revoked_at is not null as is_revoked
     from control_plane.deployment d left join control_plane.api_key k on k.deployment_id = d.id where d.id = $1`,
    [id],
  );
  return rows[0];
}
