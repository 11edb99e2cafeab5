import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createDeletionActivities } from '../../activities/tracing/deletion-activities.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { requestDeletion } from '../../src/tracing/deletions/deletion-repository.ts';
import { foldOperations } from '../../src/tracing/ingest/folded-run.ts';
import { RunWriter } from '../../src/tracing/ingest/run-writer.ts';
import { ProjectNames } from '../../src/tracing/projects/project-names.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { operationsOf } from '../support/run-operations.ts';
import { createDatabase, openPatiently } from '../support/use-database.ts';

// Anything that reaches Temporal can start workflows, so activities check their arguments in Postgres.
let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
const tenant_id = randomUUID();

beforeAll(async () => {
  database = await createDatabase();
  db = openPatiently({ url: database.url, poolSize: 2 });
  await migrate(db, 'tracing', new URL('migrations/tracing/', packageRoot));
});
afterAll(async () => {
  await db.end();
  await database.drop();
});

async function logRun(): Promise<{ trace_id: string; project_id: string }> {
  const usage = { prices: new Prices(db), log: pino({ level: 'silent' }) };
  const writer = new RunWriter(db, new ProjectNames(db), usage);
  const trace_id = randomUUID();
  const post = { id: trace_id, name: 'r', session_name: trace_id, start_time: Date.now() };
  await writer.write(tenant_id, foldOperations(operationsOf([post])));
  const { rows } = await db.query<{ project_id: string }>(
    'select project_id from tracing.run where id = $1',
    [trace_id],
  );
  return { trace_id, project_id: rows[0]!.project_id };
}
const count = async (table: string, id: string) =>
  (await db.query(`select from tracing.${table} where id = $1`, [id])).rowCount;

test('traces are deleted only on request, once', async () => {
  const { removeTraces } = createDeletionActivities({ db });
  const [mine, other] = [await logRun(), await logRun()];
  const input = { tenant_id, trace_ids: [other.trace_id, mine.trace_id] };
  await requestDeletion(db, tenant_id, [mine.trace_id]);
  await requestDeletion(db, randomUUID(), [other.trace_id]);
  expect(await removeTraces(input)).toBe(1);
  expect([await count('run', mine.trace_id), await count('run', other.trace_id)]).toEqual([0, 1]);
  expect(await removeTraces(input)).toBe(0);
});

test('a project and its runs are deleted only on request', async () => {
  const { removeProject, removeRunsOfProject } = createDeletionActivities({ db });
  const { trace_id, project_id } = await logRun();
  const project = { tenant_id, project_id };
  await removeProject(project);
  expect(await removeRunsOfProject(project)).toBe(0);
  expect([await count('project', project_id), await count('run', trace_id)]).toEqual([1, 1]);
  await requestDeletion(db, tenant_id, [project_id]);
  await removeProject(project);
  expect(await removeRunsOfProject(project)).toBe(1);
  expect([await count('project', project_id), await count('run', trace_id)]).toEqual([0, 0]);
});
