import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { PATIENCE_MS } from './until.ts';

/** A pool that waits for connections as long as tests do, because others may keep the server busy. */
export function openPatiently(options: Parameters<typeof openDatabase>[0]): Database {
  const db = openDatabase(options);
  db.options.connectionTimeoutMillis = PATIENCE_MS;
  return db;
}

const deployments = new Map<string, Set<string>>();

/** Records that a deployment or platform uses a database, until the database is dropped. */
export function noteDeployment(databaseUrl: string, name: string): void {
  const noted = deployments.get(databaseUrl) ?? new Set();
  deployments.set(databaseUrl, noted.add(name));
}

/** Marks deployments and platforms that used the database as ended; see ended-deployments.js. */
async function tellEnded(url: string): Promise<void> {
  const db = openPatiently({ url, poolSize: 1, onError() {} });
  const names = [...(deployments.get(url) ?? [])];
  try {
    const { rows } = await db.query<{ deployment_id: string }>(
      'select distinct deployment_id from control_plane.revision',
    );
    names.push(...rows.map(({ deployment_id }) => deployment_id));
  } catch {
    // It did not belong to a platform.
  } finally {
    await db.end();
  }
  if (names.length === 0) return;
  const file = join(process.env['TEST_ENDED_DEPLOYMENTS']!, randomUUID());
  // Created atomically, so that no one sees half of it.
  await writeFile(`${file}.part`, names.join('\n'));
  await rename(`${file}.part`, file);
}

/** Creates an empty database; returns its address and a function that removes it. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env['TEST_DATABASE_URL']!;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = name;
  // Postgres may take longer for this than the time limits of our service connections allow.
  const run = async (sql: string) => {
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    await admin.query(sql).finally(() => admin.end());
  };
  await run(`create database ${name}`);
  const drop = async () => {
    await tellEnded(url.href);
    await run(`drop database ${name} with (force)`);
  };
  return { url: url.href, drop };
}

/** A migrated database for the test file, removed after its tests. */
export function useDatabase(): { readonly db: Database; readonly url: string } {
  let db: Database;
  let url: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ url, drop } = await createDatabase());
    db = openPatiently({ url, poolSize: 10 });
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
