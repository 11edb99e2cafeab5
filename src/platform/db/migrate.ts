import { readdir, readFile } from 'node:fs/promises';
import type { Database, Queryable } from './database.ts';
import { inTransaction } from './database.ts';

// An arbitrary constant that serialises migrations.
const ADVISORY_LOCK = 7_305_547;

/**
 * Applies the pending SQL files of `folder` in name order, in one transaction. Returns their names. Throws if the
 * database has migrations that this version does not know.
 */
export async function migrate(db: Database, domain: string, folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return inTransaction(db, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
    const known = await appliedMigrations(tx, domain);
    const names = new Set(files.map(unnumbered));
    const unknown = known.find((name) => !names.has(unnumbered(name)));
    if (unknown)
      throw new Error(`The database was migrated by a newer version (${domain}/${unknown}); upgrade slipway`);
    const applied = new Set(known.map(unnumbered));
    const pending = files.filter((name) => !applied.has(unnumbered(name)));
    for (const name of pending) {
      await tx.query(await readFile(new URL(name, folder), 'utf8'));
      await tx.query('insert into schema_migration (domain, name) values ($1, $2)', [domain, name]);
    }
    return pending;
  });
}

// Early versions gave some files other numbers.
const unnumbered = (name: string): string => name.replace(/^\d+_/, '');

async function appliedMigrations(tx: Queryable, domain: string): Promise<string[]> {
  await tx.query(`create table if not exists schema_migration (
    domain text not null, name text not null, applied_at timestamptz not null default now(),
    primary key (domain, name))`);
  const { rows } = await tx.query<{ name: string }>('select name from schema_migration where domain = $1', [
    domain,
  ]);
  return rows.map((row) => row.name);
}
