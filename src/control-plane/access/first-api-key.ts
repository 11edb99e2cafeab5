import { join } from 'node:path';
import { type Database, inTransaction } from '../../platform/db/database.ts';
import { findKept, keptSecret } from '../secrets/kept-secret.ts';
import { countApiKeys, findApiKey, insertApiKey, newApiKey } from './api-key-repository.ts';

/** The tenant of the first key; whoever has no other is this one. */
export const FIRST_TENANT_ID = '00000000-0000-4000-8000-000000000001';

const FILE = 'api-key';
// Any constant will do; it keeps two starters from making two first keys.
const ADVISORY_LOCK = 7_305_548;

export interface FirstApiKey {
  /** The key, where this process may know it; nobody can find it out from the database. */
  key: string | undefined;
  /** How a shell on this machine writes it without showing it. */
  inShell: string;
  /** Made just now: it is shown this once. */
  isNew: boolean;
}

/**
 * Sees to it that somebody may ask: the configured key is valid, or else, where there is no key at all, one is made. It
 * is kept in the data directory for its owner to read, until the owner removes it.
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
      return { key: configured, inShell: '$SLIPWAY_API_KEY', isNew: false };
    }
    const inShell = `$(cat ${join(dataDir, FILE)})`;
    if ((await countApiKeys(tx)) > 0) {
      const kept = await findKept(dataDir, FILE);
      return { key: kept && (await findApiKey(tx, kept)) ? kept : undefined, inShell, isNew: false };
    }
    const made = await keptSecret(dataDir, FILE, newApiKey);
    await insertApiKey(tx, made, first);
    return { key: made, inShell, isNew: true };
  });
}
