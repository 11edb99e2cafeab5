import { openDatabase, type Queryable } from '../../../platform/db/database.ts';
import type { Finding } from '../../../platform/embedded/doctor.ts';

/**
 * What to say where tenants share the process driver; undefined for one alone. Their agents run on one machine, and each
 * holds the platform's connection to Temporal.
 */
export async function sharedByTenants(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ tenants: number }>(
    `select count(*)::int as tenants from (
       select tenant_id from control_plane.deployment union
       select tenant_id from control_plane.api_key where tenant_id is not null) known`,
  );
  const { tenants } = rows[0]!;
  if (tenants < 2) return undefined;
  return `SLIPWAY_DRIVER=process runs the agents of ${tenants} tenants: an agent can reach the workflows of every tenant in Temporal; give tenants that do not trust each other platforms of their own`;
}

/** The same as `slipway doctor` has it; undefined where there is no database to ask, or another driver. */
export async function lookAtTenants({
  SLIPWAY_DRIVER: driver = 'process',
  DATABASE_URL: url,
}: NodeJS.ProcessEnv): Promise<Finding | undefined> {
  if (driver !== 'process' || !url) return undefined;
  const db = openDatabase({ url, poolSize: 1 });
  try {
    const shared = await sharedByTenants(db);
    return {
      name: 'tenants',
      ok: !shared,
      detail: shared ?? 'one at most uses the process driver',
      ...(shared && { turns_off: 'keeping tenants apart; their agents still run' }),
    };
  } catch {
    // A database that is away is another finding; one without our tables has no tenants.
    return undefined;
  } finally {
    await db.end();
  }
}
