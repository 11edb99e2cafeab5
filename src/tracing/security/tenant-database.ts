import type pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Queryable,
} from '../../platform/db/database.ts';
import { currentTenant } from './tenant-scope.ts';

/** The role that row-level security holds for; see migrations/tracing/0009_security.sql. */
export const TENANT_ROLE = 'slipway_tracing';

/** Sees to it that role and policies are there. False where the database's user may not make the role. */
export async function ensureRowSecurity(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ secured: boolean }>('select tracing.secure() as secured');
  return rows[0]!.secured;
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/**
 * A pool whose connections see one tenant's rows at a time: that of `asTenant`. A connection is told of its tenant when
 * it changes hands, in the same breath as the first query: it costs no round trip, and where there is one tenant
 * nothing at all. Not for a database behind a pooler that shares connections between transactions.
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
      // Whatever is asked next fails in the same way, or sees the tenant from before, which it does not ask for.
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
