import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { FIRST_TENANT_ID } from '../../src/control-plane/access/first-api-key.ts';
import { bitOf } from '../../src/tracing/ingest/run-columns.ts';
import { UPSERT_RUNS } from '../../src/tracing/ingest/upsert-sql.ts';
import { packRuns } from '../../src/tracing/packs/pack-runs.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { stamp } from '../tracing/logged-trace.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

// It takes a second or two: others may use the machine.
const LONG_MS = 30_000;
const START = Date.now() - 50 * 3_600_000;
const pack = () => packRuns(platform.db, new Date(), 1);
const send = async (batch: object) =>
  expect((await ask(api.url, 'POST', '/runs/batch', batch)).status).toBe(202);

/** A root and a child of it, packed with those of other traces. */
async function packedTrace(session_name: string) {
  const [root, child] = [randomUUID(), randomUUID()];
  const order = `${stamp(START)}${root}`;
  const below = { trace_id: root, dotted_order: `${order}.${stamp(START + 1)}${child}`, parent_run_id: root };
  const shared = { name: 'old', run_type: 'chain', session_name };
  await send({
    post: [
      { ...shared, id: root, trace_id: root, dotted_order: order, start_time: START, inputs: {} },
      {
        ...shared,
        ...below,
        id: child,
        start_time: START + 1,
        inputs: { a: 1 },
        tags: ['first'],
        extra: { metadata: { said: 'first', kept: 'yes' } },
      },
    ],
  });
  expect(await pack()).toBeGreaterThanOrEqual(2);
  return { root, child, below };
}

/** As a version writes that does not know of packs: it finds nothing of the run. */
async function writeBeside(run: object): Promise<void> {
  const { json: project } = await ask(api.url, 'POST', '/sessions', { name: randomUUID() });
  const row = { start_time: new Date(START + 1).toISOString(), project_id: project.id, patched: 0, ...run };
  await platform.db.query(UPSERT_RUNS, [FIRST_TENANT_ID, JSON.stringify([row])]);
}

const patchOf = ({ child, below }: { child: string; below: object }) => ({
  ...below,
  id: child,
  end_time: new Date(START + 2000).toISOString(),
  error: 'late',
  tags: ['second'],
  metadata: { said: 'second' },
  patched: bitOf('end_time') | bitOf('error'),
  is_posted: false,
});

async function runsOf(trace: string) {
  const { rows } = await platform.db.query(
    `select r.id, p.name as project, r.name, r.status, r.error, r.inputs is not null as has_inputs, r.tags, r.metadata, r.is_posted,
       r.pack > 0 as is_packed
     from tracing.any_run r join tracing.project p on p.id = r.project_id where r.trace_id = $1 order by r.dotted_order`,
    [trace],
  );
  return rows;
}

const merged = (id: string, project: string) => ({
  id,
  project,
  name: 'old',
  status: 'error',
  error: 'late',
  has_inputs: true,
  tags: ['first', 'second'],
  metadata: { said: 'second', kept: 'yes' },
  is_posted: true,
});

test('what was written beside a pack is merged into it by the next write', async () => {
  const trace = await packedTrace('beside-written');
  await foldMinutes(platform.db);
  await writeBeside(patchOf(trace));
  await foldMinutes(platform.db);
  expect(await runsOf(trace.root)).toHaveLength(3);
  await send({ patch: [{ id: trace.root, tags: ['touched'] }] });
  const runs = await runsOf(trace.root);
  expect(runs).toMatchObject([{ id: trace.root, tags: ['touched'] }, merged(trace.child, 'beside-written')]);
  // What was counted beside is counted again.
  await foldMinutes(platform.db);
  const { rows } = await platform.db.query(
    'select p.name, sum(m.runs)::int as runs from tracing.run_minute m join tracing.project p on p.id = m.project_id group by 1',
  );
  expect(rows).toEqual([{ name: 'beside-written', runs: 2 }]);
});

test('and by whoever packs next', async () => {
  const trace = await packedTrace('beside-packed');
  await writeBeside(patchOf(trace));
  await pack();
  expect(await runsOf(trace.root)).toMatchObject([{ id: trace.root }, merged(trace.child, 'beside-packed')]);
  await pack();
  expect(await runsOf(trace.root)).toMatchObject([
    { is_packed: true },
    { ...merged(trace.child, 'beside-packed'), is_packed: true },
  ]);
});

test('a run that is said to be of another trace stays in the one it was in', async () => {
  const trace = await packedTrace('beside-moved');
  const { child } = trace;
  const own = { trace_id: child, dotted_order: `${stamp(START + 1)}${child}`, parent_run_id: null };
  await writeBeside({ ...patchOf(trace), ...own });
  for (let turn = 0; turn < 2; turn++) await pack();
  expect(await runsOf(child)).toEqual([]);
  expect(await runsOf(trace.root)).toMatchObject([{ id: trace.root }, merged(child, 'beside-moved')]);
});

test('runs that are in two packs become rows once', async () => {
  const trace = await packedTrace('twice');
  const before = await runsOf(trace.root);
  await platform.db.query(
    'insert into tracing.run_pack overriding user value select * from tracing.run_pack where tracing.pack_key($1::uuid) = any(keys)',
    [trace.root],
  );
  expect(await runsOf(trace.root)).toHaveLength(4);
  await send({ patch: [{ id: trace.child, error: 'late' }] });
  expect(await runsOf(trace.root)).toEqual([
    { ...before[0], is_packed: false },
    { ...before[1], status: 'error', error: 'late', is_packed: false },
  ]);
});

test('the parent of an orphan that is packed comes, and it goes below it', async () => {
  const [parent, orphan] = [randomUUID(), randomUUID()];
  const shared = { run_type: 'chain', session_name: 'orphans', inputs: {} };
  const start_time = START + 10;
  await send({ post: [{ ...shared, id: orphan, name: 'orphan', parent_run_id: parent, start_time }] });
  await platform.db.query('update tracing.run set parent_run_id = null, orphan_of = $1 where id = $2', [
    parent,
    orphan,
  ]);
  await pack();
  expect(await runsOf(orphan)).toMatchObject([{ id: orphan, is_packed: true }]);
  await send({ post: [{ ...shared, id: parent, name: 'parent', start_time: START }] });
  expect(await runsOf(parent)).toMatchObject([{ id: parent }, { id: orphan }]);
});

/** Rows of many runs at once; `traces` of as many runs each, all of the same hours. */
async function fill(name: string, traces: number[]): Promise<string[]> {
  const { json: project } = await ask(api.url, 'POST', '/sessions', { name });
  await platform.db.query(`select tracing.ensure_week(date_trunc('week', $1::timestamptz)::date)`, [
    new Date(START).toISOString(),
  ]);
  const { rows } = await platform.db.query<{ root: string }>(
    `with trace as materialized (
       select gen_random_uuid() as root, runs, n from unnest($3::int[]) with ordinality as t (runs, n)),
     r as (select root, case g when 0 then root else gen_random_uuid() end as id, n, g,
         $4::timestamptz + n * interval '1 ms' + g * interval '0.1 s' as start_time
       from trace cross join lateral generate_series(0, runs - 1) as g),
     written as (
       insert into tracing.run (tenant_id, project_id, id, start_time, trace_id, parent_run_id, dotted_order, name, run_type,
         end_time, total_tokens, updated_at, inserted_at)
       select $1, $2, id, start_time, root, case when g > 0 then root end,
         to_char($4::timestamptz + n * interval '1 ms', 'YYYYMMDD"T"HH24MISSUS"Z"') || root || case when g > 0 then
           '.' || to_char(start_time, 'YYYYMMDD"T"HH24MISSUS"Z"') || id else '' end,
         'run ' || g, case g % 2 when 0 then 'chain' else 'llm' end, start_time, nullif(g % 2, 0) * 7, start_time, start_time
       from r)
     select root from trace order by n`,
    [FIRST_TENANT_ID, project.id, traces, new Date(START).toISOString()],
  );
  return rows.map(({ root }) => root);
}

async function packsOf(name: string): Promise<number[]> {
  const { rows } = await platform.db.query<{ runs: number }>(
    `select cardinality(k.id) as runs from tracing.run_pack k join tracing.project p on p.id = k.project_id
     where p.name = $1 order by pack`,
    [name],
  );
  return rows.map(({ runs }) => runs);
}

test('large traces are packs of their own, and larger ones stay rows', async () => {
  const [large] = await fill('large', [15_000, 20_001, 6_000]);
  const began = Date.now();
  expect(await packRuns(platform.db, new Date())).toBe(21_000);
  expect(Date.now() - began).toBeLessThan(LONG_MS);
  expect(await packsOf('large')).toEqual([15_000, 6_000]);
  const { rows } = await platform.db.query(
    `select count(*) from tracing.run r join tracing.project p on p.id = r.project_id where p.name = 'large'`,
  );
  expect(rows).toEqual([{ count: 20_001 }]);
  const wrote = Date.now();
  await send({ patch: [{ id: large, tags: ['late'] }] });
  expect(Date.now() - wrote).toBeLessThan(LONG_MS);
  expect(await packsOf('large')).toEqual([6_000]);
  // Nobody has written to what stays rows.
  expect(await packRuns(platform.db, new Date(began))).toBe(0);
});

test('very many traces of one run are packs of some thousand', async () => {
  await fill(
    'small',
    Array.from({ length: 4_150 }, () => 1),
  );
  expect(await packRuns(platform.db, new Date(START + 3_600_000))).toBe(4_000);
  // Fewer than are worth it wait for others.
  expect(await packsOf('small')).toEqual([2_000, 2_000]);
});
