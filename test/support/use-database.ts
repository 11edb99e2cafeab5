import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/** Makes an empty database and returns its address with the function that removes it. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env['TEST_DATABASE_URL']!;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = name;
  const run = async (sql: string) => {
    const admin = openDatabase({ url: server, poolSize: 1 });
    await admin.query(sql).finally(() => admin.end());
  };
  await run(`create database ${name}`);
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}

/** A migrated database of the file's own, removed after its tests. */
export function useDatabase(): { readonly db: Database; readonly url: string } {
  let db: Database;
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
    db = openDatabase({ url, poolSize: 10 });
    await migrate(db, 'agent-server', new URL('migrations/agent-server/', packageRoot));
  });
  afterAll(async () => {
    await db.end();
    await drop();
  });
  return {
    get db() {
      return db;
    },
    get url() {
      return url;
    },
  };
}
