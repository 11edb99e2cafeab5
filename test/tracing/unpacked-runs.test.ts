import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type Database, inTransaction } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { foldOperations } from '../../src/tracing/ingest/folded-run.ts';
import { RunWriter } from '../../src/tracing/ingest/run-writer.ts';
import { ProjectNames } from '../../src/tracing/projects/project-names.ts';
import { findRuns } from '../../src/tracing/runs/run-repository.ts';
import { viewRuns } from '../../src/tracing/query/run-view.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { createDatabase, openPatiently } from '../support/use-database.ts';
import { operationsOf } from '../support/run-operations.ts';
import { traceOf } from './logged-trace.ts';

const MIGRATIONS = new URL('migrations/tracing/', packageRoot);
const LAST_WITH_PACKS = '0022_packs.sql';
// Columns that the current writer requires.
const NEEDED = ['0024_extra_parts.sql'];
const TENANTS = [randomUUID(), randomUUID()];
const IGNORED = ['inputs_preview', 'outputs_preview'];

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await createDatabase();
  db = openPatiently({ url: database.url, poolSize: 2 });
  folder = await mkdtemp(join(tmpdir(), 'slipway-migrations-'));
  for (const name of await readdir(MIGRATIONS))
    if (name <= LAST_WITH_PACKS || NEEDED.includes(name))
      await symlink(fileURLToPath(new URL(name, MIGRATIONS)), join(folder, name));
  await migrate(db, 'tracing', pathToFileURL(`${folder}/`));
});
afterAll(async () => {
  await db.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

test("unpacking keeps every run's row and view unchanged", async () => {
  for (const tenant of TENANTS) await writeTraces(tenant);
  const before = await everything();
  expect(before.rows).toHaveLength(48);
  expect(await packAll()).toBe(6);
  const count = async (table: string) => (await db.query(`select from tracing.${table}`)).rows.length;
  expect(await count('run')).toBe(0);

  // Operators may run this beforehand.
  const [, unpackInSteps] = /```sql\n(do \$\$.*?)```/s.exec(
    await readFile(new URL('docs/upgrade-and-backup.md', packageRoot), 'utf8'),
  )!;
  await db.query(unpackInSteps!);
  expect([await count('run'), await count('run_pack')]).toEqual([48, 0]);
  expect(await packAll()).toBe(6);

  const applied = await migrate(db, 'tracing', MIGRATIONS);
  expect(applied[0]).toBe('0023_no_packs.sql');
  expect(await everything()).toEqual(before);
});

test('leaves no packs in the database', async () => {
  const { rows } = await db.query(
    `select proname as name from pg_proc where pronamespace = 'tracing'::regnamespace and (proname || prosrc) ~ 'pack'
     union all
     select relname from pg_class where relnamespace = 'tracing'::regnamespace and relname ~ 'pack|any_run'`,
  );
  expect(rows).toEqual([]);
});

/** Finished, failed, pending and tagged runs of three projects over several weeks. */
async function writeTraces(tenant: string): Promise<void> {
  const kinds = [
    {},
    { error: 'it broke' },
    { end_time: undefined, outputs: undefined },
    { tags: ['a, "b"', '{c}'], extra: { metadata: { thread_id: 't1', nested: { of: [1, null] } } } },
  ];
  const posts = ['one', 'two', 'three'].flatMap((project) =>
    kinds.flatMap((more, index) => traceOf(project, 50 + 100 * index, more).posts),
  );
  const usage = { prices: new Prices(db), log: pino({ level: 'silent' }) };
  await new RunWriter(db, new ProjectNames(db), usage).write(tenant, foldOperations(operationsOf(posts)));
}

async function everything() {
  const order = 'order by tenant_id, start_time, id';
  const { rows } = await db.query<{ tenant_id: string; id: string }>(`select * from tracing.run ${order}`);
  const { rows: minutes } = await db.query(`select * from tracing.run_minute_mark order by 1, 2, 3`);
  const shown = [];
  for (const tenant of TENANTS) {
    const ids = rows.filter(({ tenant_id }) => tenant_id === tenant).map(({ id }) => id);
    shown.push(await viewRuns(db, tenant, await findRuns(db, tenant, ids)));
  }
  const columns = rows.map((row) => Object.entries(row).filter(([name]) => !IGNORED.includes(name)));
  return { rows: columns, minutes, shown };
}

/** Packs each project of each tenant. Returns the number of packs. */
async function packAll(): Promise<number> {
  const insert = await readFile(new URL('test/fixtures/tracing/pack-traces.sql', packageRoot), 'utf8');
  const { rows } = await db.query<{ tenant_id: string; project_id: string; traces: string[] }>(
    'select tenant_id, project_id, array_agg(distinct trace_id) as traces from tracing.run group by 1, 2',
  );
  for (const { tenant_id, project_id, traces } of rows)
    await inTransaction(db, async (tx) => {
      await tx.query(`select set_config('slipway.packing', 'on', true)`);
      await tx.query(insert, [tenant_id, project_id, traces]);
      await tx.query('delete from tracing.run where tenant_id = $1 and project_id = $2', [
        tenant_id,
        project_id,
      ]);
    });
  return rows.length;
}
