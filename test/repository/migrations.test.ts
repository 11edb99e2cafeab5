import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

test.each(['agent-server', 'control-plane', 'tracing'])('%s numbers its migrations once', async (service) => {
  const files = (await readdir(new URL(`migrations/${service}/`, packageRoot))).sort();
  expect(files.length).toBeGreaterThan(1);
  expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
  expect(new Set(files.map((file) => file.slice(5))).size).toBe(files.length);
});

test('a migration applied under another number is not applied again', async () => {
  const folder = new URL('migrations/agent-server/', packageRoot);
  await database.db.query(
    `update schema_migration set name = regexp_replace(name, '^\\d+', '0099') where domain = 'agent-server'`,
  );
  expect(await migrate(database.db, 'agent-server', folder)).toEqual([]);
});

test('a database migrated by a newer version is refused', async () => {
  const folder = new URL('migrations/agent-server/', packageRoot);
  const insert = `insert into schema_migration (domain, name) values ('agent-server', '0100_future.sql')`;
  await database.db.query(insert);
  await expect(migrate(database.db, 'agent-server', folder)).rejects.toThrow('newer version');
});
