import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';
import { packedSoFar } from '../tracing/packed-so-far.ts';

const PROJECTS = 3;
const RUNS = 250;
const HELD = 5_813;
const DAY_MS = 86_400_000;

const platform = usePlatform();
let connection: Connection;
let holder: pg.Client;
beforeAll(async () => {
  // Not of the pool, which ends before: what is held to the end would hold it up.
  holder = new pg.Client({ connectionString: platform.env['DATABASE_URL']! });
  holder.on('error', () => {});
  await holder.connect();
  connection = await Connection.connect({ address: platform.env['TEMPORAL_ADDRESS']! });
});
afterAll(() => connection.close());
afterAll(() => holder.end());

/** Every run as it is told, by its id; a run that is there twice has two. */
async function allRuns(): Promise<Record<string, unknown>[]> {
  const { rows } = await platform.db.query(
    `select id, start_time, project_id, trace_id, dotted_order, name, status, tags, metadata, inputs, updated_at
     from tracing.any_run order by id`,
  );
  return rows;
}

async function waitsForHeld(): Promise<number[]> {
  const { rows } = await platform.db.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}

test('who packs is killed, and so is its connection: nothing is lost or twice, and another goes on', async () => {
  const process: PlatformProcess = await platform.start('platform');
  for (let project = 0; project < PROJECTS; project++) {
    const start = Date.now() - (2 + project) * DAY_MS;
    const post = Array.from({ length: RUNS }, (_, index) => ({
      id: randomUUID(),
      name: `run ${index}`,
      run_type: 'chain',
      session_name: `packed ${project}`,
      start_time: start + index,
      end_time: start + index + 1,
      tags: [`t${index}`],
      inputs: { index },
    }));
    expect((await ask(process.url, 'POST', '/runs/batch', { post })).status).toBe(202);
  }
  await platform.db.query(`update tracing.run set updated_at = start_time + interval '1 hour'`);
  const before = await allRuns();
  expect(before).toHaveLength(PROJECTS * RUNS);

  // The second pack is held while it is written.
  await platform.db.query(`create function public.hold() returns trigger language plpgsql as $$ begin
    if exists (select from tracing.run_pack) then perform pg_advisory_xact_lock(${HELD}); end if; return new; end $$`);
  await platform.db.query(
    'create trigger held before insert on tracing.run_pack for each row execute function public.hold()',
  );
  await holder.query(`select pg_advisory_lock(${HELD})`);
  const client = new Client({ connection });
  const schedule = client.schedule.getHandle(`${platform.name}/pack-runs`);
  await schedule.trigger();
  await until('the second pack is held', async () => (await waitsForHeld()).length === 1);
  expect(await packedSoFar(platform.db)).toEqual({ packs: 1, packed: RUNS, rows: (PROJECTS - 1) * RUNS });
  expect(await allRuns()).toEqual(before);

  const [lost] = await waitsForHeld();
  await platform.db.query('select pg_terminate_backend($1)', [lost]);
  await until('another connection is held', async () => {
    const [pid] = await waitsForHeld();
    return pid !== undefined && pid !== lost;
  });
  expect(await allRuns()).toEqual(before);

  await process.end('SIGKILL');
  await holder.query(`select pg_advisory_unlock(${HELD})`);
  const other = await platform.start('platform');
  // The same turn goes on, when the process has not been heard of for half a minute.
  const { recentActions } = (await schedule.describe()).info;
  const { workflow } = recentActions.at(-1)!.action as { workflow: { workflowId: string } };
  const turn = client.workflow.getHandle(workflow.workflowId);
  expect(await turn.result()).toEqual({ runs: (PROJECTS - 1) * RUNS });
  expect(await packedSoFar(platform.db)).toEqual({ packs: PROJECTS, packed: PROJECTS * RUNS, rows: 0 });
  expect(await allRuns()).toEqual(before);
  const { json } = await ask(other.url, 'GET', '/sessions?include_stats=true');
  expect(json.map(({ run_count }: { run_count: number }) => run_count)).toEqual([RUNS, RUNS, RUNS]);
});
