import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { FIRST_TENANT_ID } from '../../src/control-plane/access/first-api-key.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { readMinuteStats } from '../../src/tracing/query/minute-stats.ts';
import { deleteUnreferencedBlobs } from '../../src/tracing/retention/unreferenced-blobs.ts';
import { sweepTraces } from '../../src/tracing/retention/sweep-traces.ts';
import { until } from '../support/until.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
const DAY_MS = 86_400_000;
const DAYS = { days: 30, longDays: 400 };
beforeAll(async () => {
  // Without a worker, so that only these tests sweep and count.
  api = await platform.start('api', { SLIPWAY_TRACE_RETENTION_DAYS: '30' });
});

const post = (session_name: string, days: number, more: object = {}) => {
  const id = randomUUID();
  return {
    id,
    name: 'old',
    session_name,
    start_time: Date.now() - days * DAY_MS,
    inputs: { of: session_name },
    ...more,
  };
};
type Run = ReturnType<typeof post>;
const log = async (runs: object[]) =>
  expect((await ask(api.url, 'POST', '/runs/batch', { post: runs })).status).toBe(202);
const left = async () => {
  const { rows } = await platform.db.query<{ id: string }>('select id from tracing.run');
  return rows.map(({ id }) => id).sort();
};
const projectOf = async (name: string) =>
  (await platform.db.query<{ id: string }>('select id from tracing.project where name = $1', [name])).rows[0]!
    .id;

const foldAll = () => foldMinutes(platform.db);

test('deletes expired runs: whole weeks, then row by row', async () => {
  const ancient = post('default', 90);
  const [old, fresh] = [post('default', 60), post('default', 1)];
  const [short, shorter] = [post('short', 25), post('short', 3)];
  // In the same weeks as expired runs, whatever weekday it is, so those are deleted row by row.
  const [long, longer] = [old, short].map(({ start_time }) => post('long', 0, { start_time })) as [Run, Run];
  await log([ancient, old, fresh, long, longer, short, shorter]);
  expect((await ask(api.url, 'GET', '/platform/retention')).json).toEqual({
    days: 30,
    shortlived_days: 14,
    longlived_days: 400,
  });
  const keep = async (project: string, how: object) =>
    (await ask(api.url, 'PATCH', `/sessions/${await projectOf(project)}`, how)).json;
  expect(await keep('long', { retention_days: 400 })).toMatchObject({ retention_days: 400 });
  expect(await keep('short', { retention_days: 400 })).toMatchObject({ retention_days: 400 });
  expect(await keep('short', { retention_days: null, trace_tier: 'shortlived' })).toMatchObject({
    retention_days: null,
    trace_tier: 'shortlived',
  });
  const attach = async (run: { id: string }, sha: string) => {
    await platform.db.query(
      `insert into tracing.blob (tenant_id, sha256, size, bytes) values ($1, $2, 1, 'x') on conflict do nothing`,
      [FIRST_TENANT_ID, Buffer.from(sha)],
    );
    await platform.db.query(
      `insert into tracing.attachment (tenant_id, run_id, name, mime_type, sha256) values ($1, $2, 'a', 'b', $3)`,
      [FIRST_TENANT_ID, run.id, Buffer.from(sha)],
    );
  };
  await attach(ancient, 'gone');
  await attach(old, 'shared');
  await attach(long, 'shared');
  await foldAll();
  const counted = async () => {
    const { rows } = await platform.db.query<{ runs: number }>(
      'select sum(runs)::bigint as runs from tracing.run_minute union all select sum(runs)::bigint from tracing.run_hour',
    );
    return rows.map(({ runs }) => runs);
  };
  expect(await counted()).toEqual([7, 7]);

  // One week of runs, and three of bodies that never arrived.
  const swept = await sweepTraces(platform.db, DAYS);
  expect(swept).toEqual({ weeks: 4, runs: 2, blocks: 0, blobs: 1 });
  expect(await left()).toEqual([fresh.id, long.id, longer.id, shorter.id].sort());
  const { rows } = await platform.db.query<{ run_id: string }>('select run_id from tracing.attachment');
  expect(rows).toEqual([{ run_id: long.id }]);
  expect(await deleteUnreferencedBlobs(platform.db)).toBe(0);
  await foldAll();
  expect(await counted()).toEqual([4, 4]);

  // Bodies are deleted with the week in which they arrived.
  const before = await platform.db.query('select 1 from tracing.body_block');
  expect(before.rows.length).toBeGreaterThan(0);
  // Late runs for a dropped week are accepted and deleted by the next sweep.
  const late = post('default', 90);
  await log([late]);
  expect(await left()).toContain(late.id);
  await sweepTraces(platform.db, DAYS);
  expect(await left()).not.toContain(late.id);
});

test('traces with feedback use long-tier retention, including their bodies', async () => {
  const trace = (days: number) => {
    const root = post('spoken of', days);
    return [root, { ...post('spoken of', days), trace_id: root.id, parent_run_id: root.id }];
  };
  const [said, silent, queued, added, ancient] = [trace(60), trace(60), trace(60), trace(60), trace(500)];
  // Feedback may arrive before the run.
  const say = (run: { id: string }, more = {}) =>
    ask(api.url, 'POST', '/feedback', { run_id: run.id, key: 'k', score: 1, ...more });
  await say(said[1]!);
  await log([said, silent, queued, added, ancient].flat());
  await say(ancient[0]!);
  await say(silent[0]!, { extend_trace_retention: false });
  const { json: queue } = await ask(api.url, 'POST', '/annotation-queues', { name: 'kept' });
  await ask(api.url, 'POST', `/annotation-queues/${queue.id}/runs`, [queued[0]!.id]);
  const items = `/platform/annotation-queues/${queue.id}/items`;
  await ask(api.url, 'POST', items, { items: [{ run_id: added[0]!.id }] });
  // As if their bodies had arrived with them.
  const old = new Date(Date.now() - 60 * DAY_MS);
  old.setUTCDate(old.getUTCDate() - ((old.getUTCDay() + 6) % 7));
  const week = old.toISOString().slice(0, 10);
  await platform.db.query('select tracing.ensure_week($1)', [week]);
  await platform.db.query(`update tracing.body_block set week = $1 where project_id = $2`, [
    week,
    await projectOf('spoken of'),
  ]);
  const weeks = BigInt(Math.round((Date.parse(week) - Date.parse('1970-01-05')) / (7 * DAY_MS)));
  await platform.db.query(
    `update tracing.run set inputs = (inputs & ((1::bigint << 50) - 1)) | ($1::bigint << 50), extra = null
     where project_id = $2`,
    [String(weeks), await projectOf('spoken of')],
  );

  const tierOf = async (run: { id: string }) => (await ask(api.url, 'GET', `/runs/${run.id}`)).json;
  expect(await tierOf(queued[1]!)).toMatchObject({ trace_tier: 'longlived', trace_upgrade: true });
  expect(await tierOf(silent[0]!)).toMatchObject({ trace_tier: null, trace_upgrade: false });
  await sweepTraces(platform.db, DAYS);
  const ids = [...said, ...queued].map(({ id }) => id);
  expect(await left()).toEqual(expect.arrayContaining(ids));
  for (const { id } of [...silent, ...added, ...ancient]) expect(await left()).not.toContain(id);
  expect((await tierOf(said[0]!)).inputs).toEqual({ of: 'spoken of' });
  const { rows } = await platform.db.query('select from tracing.body_block where week = $1', [week]);
  expect(rows).toEqual([]);
  // Nothing is moved twice or lost by the next sweep.
  await sweepTraces(platform.db, DAYS);
  expect((await tierOf(queued[1]!)).inputs).toEqual({ of: 'spoken of' });
  // The counts cover what remains.
  await foldAll();
  const deps = {
    db: platform.db,
    config: { SLIPWAY_TRACE_QUERY_SECONDS: 30, SLIPWAY_TRACE_SEARCH_RUNS: 1 },
  };
  const asked = { tenant_id: FIRST_TENANT_ID, projects: [await projectOf('spoken of')] };
  const counted = async () => (await readMinuteStats(deps, asked, -1))?.run_count;
  expect(await counted()).toBe(4);
  await sweepTraces(platform.db, DAYS);
  expect(await counted()).toBe(4);
  await sweepTraces(platform.db, { days: 30, longDays: 30 });
  expect(await counted()).toBe(0);
  for (const id of ids) expect(await left()).not.toContain(id);
  expect((await platform.db.query('select from tracing.kept_run')).rows).toEqual([]);
});

test("concurrent writers create a week's partition once", async () => {
  const monday = '2016-02-01';
  const first = await platform.db.connect();
  const second = await platform.db.connect();
  try {
    await first.query('begin');
    await first.query('select tracing.ensure_week($1)', [monday]);
    const made = second.query('select tracing.ensure_week($1)', [monday]);
    await until('the second waits', async () => {
      const { rows } = await platform.db.query(
        `select from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length === 1;
    });
    await first.query('commit');
    await expect(made).resolves.toMatchObject({ rowCount: 1 });
  } finally {
    first.release();
    second.release();
  }
});

test('deletes expired body blocks by project or by whole week', async () => {
  const tenant = randomUUID();
  const [brief, long] = [randomUUID(), randomUUID()];
  await platform.db.query(
    `insert into tracing.project (id, tenant_id, name, retention_days) values ($1, $3, 'brief', 5), ($2, $3, 'long', 400)`,
    [brief, long, tenant],
  );
  const week = new Date(Date.now() - 75 * DAY_MS);
  week.setUTCDate(week.getUTCDate() - ((week.getUTCDay() + 6) % 7));
  const monday = week.toISOString().slice(0, 10);
  await platform.db.query('select tracing.ensure_week($1)', [monday]);
  const add = (id: number, project: string) =>
    platform.db.query(
      `insert into tracing.body_block (week, id, tenant_id, project_id, bytes) values ($1, $2, $3, $4, 'x')`,
      [monday, id, tenant, project],
    );
  await add(60_000_001, brief);
  await add(60_000_002, long);
  expect((await sweepTraces(platform.db, DAYS)).blocks).toBe(1);
  const blocks = () =>
    platform.db.query('select project_id from tracing.body_block where tenant_id = $1', [tenant]);
  expect((await blocks()).rows).toEqual([{ project_id: long }]);
  await platform.db.query(`update tracing.project set retention_days = 5 where id = $1`, [long]);
  expect((await sweepTraces(platform.db, DAYS)).weeks).toBeGreaterThan(0);
  expect((await blocks()).rows).toEqual([]);
});

test('exports a whole project, downloaded by an expiring link without a key', async () => {
  const runs = Array.from({ length: 1_100 }, (_, index) =>
    post('exported', 1, { start_time: Date.now() - 3_600_000 + index, outputs: { index } }),
  );
  for (let at = 0; at < runs.length; at += 100) await log(runs.slice(at, at + 100));
  await platform.start('worker');
  const session_id = await projectOf('exported');
  const start_time = new Date(runs[100]!.start_time).toISOString();
  const created = await ask(api.url, 'POST', '/bulk-exports', { session_id, start_time });
  expect(created).toMatchObject({ status: 201, json: { status: 'Created', session_id, download_url: null } });
  const path = `/api/v1/bulk-exports/${created.json.id}`;
  await until('it is written', async () => (await ask(api.url, 'GET', path)).json.status === 'Completed');
  const { json } = await ask(api.url, 'GET', path);
  expect(json).toMatchObject({ runs: 1_000, format: 'JSONL' });
  const answer = await fetch(json.download_url.replace(/^https?:\/\/[^/]+/, api.url));
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBe(json.bytes);
  const lines = gunzipSync(bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id }) => id)).toEqual(runs.slice(100).map(({ id }) => id));
  expect(lines[0]).toMatchObject({ name: 'old', inputs: { of: 'exported' }, outputs: { index: 100 } });

  expect((await fetch(`${api.url}/public/exports/AAAA`)).status).toBe(404);
  const other = { 'x-api-key': API_KEY, 'x-tenant-id': randomUUID() };
  expect([403, 404]).toContain((await ask(api.url, 'GET', path, undefined, other)).status);
  expect((await ask(api.url, 'DELETE', path)).status).toBe(204);
  expect((await ask(api.url, 'GET', path)).status).toBe(404);
});

test('stores bodies of a patch without a project with its run', async () => {
  const run = post('patched', 0);
  await log([run]);
  const patch = { trace_id: run.id, outputs: { said: 'to no project' } };
  expect((await ask(api.url, 'PATCH', `/runs/${run.id}`, patch)).status).toBe(202);
  expect((await ask(api.url, 'GET', `/runs/${run.id}`)).json).toMatchObject({ outputs: patch.outputs });
  const { rows } = await platform.db.query(
    `select p.name from tracing.run r join tracing.body_block b on b.id = (r.outputs >> 24) & 67108863
     join tracing.project p on p.id = b.project_id where r.id = $1`,
    [run.id],
  );
  expect(rows).toEqual([{ name: 'patched' }]);
});
