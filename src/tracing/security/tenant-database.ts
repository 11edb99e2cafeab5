import type pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Queryable,
} from '../../platform/db/database.ts';
import { currentTenant } from './tenant-scope.ts';

/** Role subject to row-level security; see migrations/tracing/0009_security.sql. */
export const TENANT_ROLE = 'slipway_tracing';

/** Creates role and policies if missing. Returns false if the database user may not create roles. */
export async function ensureRowSecurity(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ secured: boolean }>('select tracing.secure() as secured');
  return rows[0]!.secured;
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/**
 * A pool whose connections see only the rows of the tenant set by `asTenant`. The tenant is set along with the first
 * query on a connection, which costs no round trip, and only when it changes. Not compatible with transaction-level
 * poolers.
 */
export function openTenantDatabase(options: DatabaseOptions): Database {
  const pool = openDatabase({ ...options, role: TENANT_ROLE });
  const connect = pool.connect.bind(pool);
  const tenants = new WeakMap<pg.PoolClient, string>();
  const enter = (client: pg.PoolClient, tenant: string): void => {
    if (tenants.get(client) === tenant) return;
    tenants.set(client, tenant);
    client
      .query({
        name: 'tracing-enter',
        text: `select set_config('slipway.tenant', $1, false)`,
        values: [tenant],
      })
      // Nothing leaks: later queries fail too, or see the previous tenant's rows, for which they do not ask.
      .catch(() => tenants.delete(client));
  };
  pool.connect = ((callback?: Connected) => {
    const tenant = currentTenant();
    if (!callback)
      return connect().then((client) => {
        enter(client, tenant);
        return client;
      });
    return connect((error, client, release) => {
      if (client) enter(client, tenant);
      callback(error, client, release);
    });
  }) as Database['connect'];
  return pool;
}
