import pg from 'pg';
import { embeddedDatabaseUrl } from '../local-server.ts';

/** Queries the platform's database over a connection that closes after `work`. */
export async function withDatabase<Result>(
  { dataDir }: { dataDir: string },
  work: (db: pg.Client) => Promise<Result>,
): Promise<Result> {
  const db = new pg.Client(await embeddedDatabaseUrl(dataDir));
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}
