import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Database, inPipeline, inTransaction } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readBodies } from '../../src/tracing/bodies/block-reader.ts';
import { foldOperations } from '../../src/tracing/ingest/folded-run.ts';
import { RunWriter } from '../../src/tracing/ingest/run-writer.ts';
import { ProjectNames } from '../../src/tracing/projects/project-names.ts';
import { findRun } from '../../src/tracing/runs/run-repository.ts';
import { ensureRowSecurity, openTenantDatabase } from '../../src/tracing/security/tenant-database.ts';
import { asTenant, EVERY_TENANT } from '../../src/tracing/security/tenant-scope.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { createDatabase, openPatiently } from '../support/use-database.ts';
import { operationsOf } from '../support/run-operations.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let owner: Database;
let db: Database;
const [mine, theirs] = [randomUUID(), randomUUID()];
const runs = { [mine]: randomUUID(), [theirs]: randomUUID() };

beforeAll(async () => {
  database = await createDatabase();
  owner = openPatiently({ url: database.url, poolSize: 2 });
  await migrate(owner, 'tracing', new URL('migrations/tracing/', packageRoot));
  expect(await ensureRowSecurity(owner)).toBe(true);
  db = openTenantDatabase({ url: database.url, poolSize: 2 });
  const usage = { prices: new Prices(db), log: pino({ level: 'silent' }) };
  const writer = new RunWriter(db, new ProjectNames(db), usage);
  for (const [tenant, id] of Object.entries(runs))
    await asTenant(tenant, () => {
      const post = { id, name: 'secret', inputs: { of: tenant }, start_time: Date.now() };
      return writer.write(tenant, foldOperations(operationsOf([post])));
    });
});
afterAll(async () => {
  await db.end();
  await owner.end();
  await database.drop();
});

test('a repository called with the wrong tenant finds nothing', async () => {
  const found = await asTenant(mine, () => findRun(db, mine, runs[mine]!));
  expect(found).toMatchObject({ id: runs[mine], name: 'secret' });
  // A request for one tenant whose repository is called with another tenant by mistake.
  expect(await asTenant(mine, () => findRun(db, theirs, runs[theirs]!))).toBeUndefined();
  const { rows } = await owner.query<{ inputs: string }>(
    'select inputs::text from tracing.run where tenant_id = $1',
    [theirs],
  );
  const places = rows.map(({ inputs }) => inputs);
  expect((await asTenant(theirs, () => readBodies(db, theirs, places))).size).toBe(1);
  expect((await asTenant(mine, () => readBodies(db, theirs, places))).size).toBe(0);
});

test("a query without a tenant condition sees only the request's tenant, and none outside requests", async () => {
  const all = 'select tenant_id from tracing.run';
  const ask = (tenant: string) => asTenant(tenant, () => db.query<{ tenant_id: string }>(all));
  expect((await ask(mine)).rows).toEqual([{ tenant_id: mine }]);
  // Connections switch tenants immediately.
  const asked = await Promise.all([mine, theirs, mine, theirs].map(ask));
  expect(asked.map(({ rows }) => rows[0]!.tenant_id)).toEqual([mine, theirs, mine, theirs]);
  const inOne = await asTenant(theirs, () => inTransaction(db, (tx) => tx.query(all)));
  expect(inOne.rows).toEqual([{ tenant_id: theirs }]);
  const [piped] = await asTenant(mine, () => inPipeline(db, [{ text: all }]));
  expect(piped).toEqual([{ tenant_id: mine }]);
  expect((await db.query(all)).rows).toEqual([]);
  expect((await ask(EVERY_TENANT)).rows).toHaveLength(2);
});

test('nothing is written, changed or deleted for another tenant', async () => {
  const write = asTenant(mine, () =>
    db.query(`insert into tracing.project (id, tenant_id, name) values ($1, $2, 'x')`, [
      randomUUID(),
      theirs,
    ]),
  );
  await expect(write).rejects.toThrow(/row-level security/);
  const changed = await asTenant(mine, () =>
    db.query(`update tracing.run set name = 'mine now' where tenant_id = $1`, [theirs]),
  );
  const deleted = await asTenant(mine, () =>
    db.query('delete from tracing.run where tenant_id = $1', [theirs]),
  );
  expect([changed.rowCount, deleted.rowCount]).toEqual([0, 0]);
  // Partitions are protected too.
  const { rows } = await owner.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'tracing.run'::regclass`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { name } of rows)
    await expect(asTenant(mine, () => db.query(`select 1 from ${name}`))).rejects.toThrow(
      /permission denied/,
    );
});

test('every table of tracing with a tenant has the policy', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where c.relnamespace = 'tracing'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not c.relrowsecurity`,
  );
  expect(rows).toEqual([]);
});

test('searches by metadata and tags use their indexes', async () => {
  const plan = await asTenant(mine, () =>
    inTransaction(db, async (tx) => {
      await tx.query('set local enable_seqscan = off');
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain select id from tracing.run where metadata @> '{"a":1}' and tags && array['x']`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
  expect(plan).toMatch(/Index Cond: .*(metadata @>|tags &&)/);
});
