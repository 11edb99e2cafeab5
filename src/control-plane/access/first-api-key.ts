import { join } from 'node:path';
import { type Database, inTransaction } from '../../platform/db/database.ts';
import { findKept, keptSecret } from '../secrets/kept-secret.ts';
import { countApiKeys, findApiKey, insertApiKey, newApiKey } from './api-key-repository.ts';

/** Tenant of the first key, and of agents without a tenant of their own. */
export const FIRST_TENANT_ID = '00000000-0000-4000-8000-000000000001';

const FILE = 'api-key';
// An arbitrary constant; keeps two processes from creating two first keys.
const ADVISORY_LOCK = 7_305_548;

export interface FirstApiKey {
  /** The key, if this process knows it; the database holds only its hash. */
  key: string | undefined;
  /** Where a key that was generated is kept; undefined if the settings name the key. */
  file: string | undefined;
  /** Just created. */
  isNew: boolean;
}

/**
 * Ensures that an API key exists: the configured one, or else a new one if there is none. The new key is kept in the
 * data directory, readable by its owner, until someone removes the file.
 */
export async function ensureFirstApiKey(
  db: Database,
  { configured, dataDir }: { configured: string | undefined; dataDir: string },
): Promise<FirstApiKey> {
  const first = { tenant_id: FIRST_TENANT_ID, name: 'first key', role: 'admin' } as const;
  return inTransaction(db, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    if (configured) {
      if (!(await findApiKey(tx, configured))) await insertApiKey(tx, configured, first);
      return { key: configured, file: undefined, isNew: false };
    }
    const file = join(dataDir, FILE);
    if ((await countApiKeys(tx)) > 0) {
      const kept = await findKept(dataDir, FILE);
      return { key: kept && (await findApiKey(tx, kept)) ? kept : undefined, file, isNew: false };
    }
    const made = await keptSecret(dataDir, FILE, newApiKey);
    await insertApiKey(tx, made, first);
    return { key: made, file, isNew: true };
  });
}
