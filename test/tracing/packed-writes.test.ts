import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { FIRST_TENANT_ID } from '../../src/control-plane/access/first-api-key.ts';
import { sweepOrphans } from '../../src/tracing/ingest/sweep-orphans.ts';
import { settleUnknownWords } from '../../src/tracing/ingest/run-words.ts';
import { packRuns } from '../../src/tracing/packs/pack-runs.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { readMinuteStats } from '../../src/tracing/query/minute-stats.ts';
import { settleKept } from '../../src/tracing/retention/kept-traces.ts';
import { sweepTraces } from '../../src/tracing/retention/sweep-traces.ts';
import { Prices } from '../../src/tracing/usage/prices.ts';
import { sweepUsage } from '../../src/tracing/usage/sweep-usage.ts';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';
import { accepted } from './accepted.ts';
import { exportedRuns } from './exported-runs.ts';
import { HOUR, idsOf, stamp, type Trace, traceOf } from './logged-trace.ts';
import { moveBodies } from './move-bodies.ts';
import { packsOfRuns } from './packed-so-far.ts';
import { storedBodies } from './stored-bodies.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  // What is counted and told here, is so by these tests.
  const [SLIPWAY_USAGE_SWEEP_SECONDS, SLIPWAY_TRACE_FOLD_SECONDS] = ['3153600000', '3153600000'];
  api = await platform.start('platform', { SLIPWAY_USAGE_SWEEP_SECONDS, SLIPWAY_TRACE_FOLD_SECONDS });
});

const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await ask(api.url, method, path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json;
};
const log = (...runs: object[]) => call('POST', '/runs/batch', { post: runs });
/** So many traces, packed. */
async function packedTraces(session: string, count: number, hours?: number): Promise<Trace[]> {
  const traces = Array.from({ length: count }, () => traceOf(session, hours));
  await log(...traces.flatMap(({ posts }) => posts));
  await pack();
  await expectPacked(idsOf(traces));
  return traces;
}

const read = (id: string) => call('GET', `/runs/${id}`);
const readAll = (ids: string[]) => Promise.all(ids.map(read));
const select = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await platform.db.query<Row>(text, values)).rows;
const projectOf = async (name: string) =>
  (await select<{ id: string }>('select id from tracing.project where name = $1', [name]))[0]!.id;
const marks = () => select('select * from tracing.run_minute_mark');

/** Packs whatever can be; statistics learn nothing of it. */
async function pack(): Promise<void> {
  await foldMinutes(platform.db);
  await packRuns(platform.db, new Date(Date.now() + 1_000), 1);
  expect(await marks()).toEqual([]);
}
const packsOf = (ids: string[]) => packsOfRuns(platform.db, ids);
const expectPacked = async (ids: string[]) => {
  const packs = await packsOf(ids);
  expect([packs.length, packs[0]! > 0]).toEqual([1, true]);
};

test('what comes late goes into its packed trace, of which the whole is packed again', async () => {
  const traces = await packedTraces('late', 6);
  const [batched, patched, posted, child] = traces as [Trace, Trace, Trace, Trace];
  const others = idsOf(traces.slice(4));
  const said = await readAll(others);
  const { root, model, order } = batched;
  const patch = { id: root, trace_id: root, dotted_order: order, session_name: 'late', tags: ['late'] };
  const below = randomUUID();
  const start = Date.now() - 2 * HOUR;
  const shared = { name: 'below', run_type: 'tool', session_name: 'late', start_time: start };
  const place = {
    trace_id: child.root,
    parent_run_id: child.root,
    dotted_order: `${child.order}.${stamp(start)}${below}`,
  };
  const changes: [Trace, path: string, body: object, changed: string, expected: object][] = [
    [
      batched,
      '/runs/batch',
      { patch: [{ ...patch, outputs: { answer: 'patched' }, extra: { metadata: { late: true } } }] },
      root,
      {
        inputs: { question: `asked of ${root}` },
        outputs: { answer: 'patched' },
        outputs_preview: 'patched',
        tags: ['all', 'late'],
        extra: { metadata: { kind: 'root', late: true } },
        end_time: new Date(batched.start + 1_000).toISOString().replace('Z', '000+00:00'),
        child_run_ids: [model],
        total_tokens: 110,
      },
    ],
    [
      patched,
      `/runs/${patched.model}`,
      { error: 'too late' },
      patched.model,
      { error: 'too late', status: 'error', parent_run_id: patched.root, total_tokens: 110, name: 'model' },
    ],
    [
      posted,
      '/runs/batch',
      { post: [{ ...posted.posts[0], outputs: { answer: 'again' }, tags: ['again'] }] },
      posted.root,
      { outputs: { answer: `said by ${posted.root}` }, tags: ['again', 'all'] },
    ],
    [
      child,
      '/runs/batch',
      { post: [{ ...shared, ...place, id: below, inputs: {} }] },
      child.root,
      { child_run_ids: expect.arrayContaining([child.model, below]) },
    ],
  ];
  for (const [trace, path, body, changed, expected] of changes) {
    await expectPacked(idsOf(traces.slice(4).concat(trace)));
    await call(path === '/runs/batch' ? 'POST' : 'PATCH', path, body);
    expect(await packsOf(idsOf([trace]))).toEqual([0]);
    for (const isPacked of [false, true]) {
      if (isPacked) await pack();
      expect(await read(changed)).toMatchObject(expected);
      expect(await readAll(others)).toEqual(said);
    }
    await expectPacked(idsOf([trace]));
  }
  await expectPacked([...idsOf([child]), below]);
});

test('what is written while others pack and unpack is neither lost nor there twice', async () => {
  const traces = await packedTraces('at once', 12);
  const patch = ({ root, model }: Trace) =>
    Promise.all([
      call('PATCH', `/runs/${root}`, { outputs: { answer: `late ${root}` } }),
      call('PATCH', `/runs/${model}`, { error: `late ${model}` }),
    ]);
  const packing = [1, 2, 3].map(() => packRuns(platform.db, new Date(Date.now() + 60_000), 1));
  await Promise.all([...traces.map(patch), ...packing]);
  await pack();
  for (const { root, model } of traces) {
    expect(await read(root)).toMatchObject({ outputs: { answer: `late ${root}` } });
    expect(await read(model)).toMatchObject({ error: `late ${model}`, parent_run_id: root });
  }
  const counted = 'select count(*) as n from tracing.any_run where id = any($1::uuid[])';
  expect(await select(counted, [idsOf(traces)])).toEqual([{ n: 24 }]);
  await expectPacked(idsOf(traces));
});

test('what begins now below a packed run is found with it, and keeps it from being packed', async () => {
  const now = Date.now();
  const shared = { name: 'now', run_type: 'tool', inputs: {}, session_name: 'now', start_time: now };
  const orderOf = ({ order }: Trace, id: string) => `${order}.${stamp(now)}${id}`;
  const ways: ((trace: Trace, id: string) => object)[] = [
    (trace, id) => ({ trace_id: trace.root, parent_run_id: trace.root, dotted_order: orderOf(trace, id) }),
    ({ root }) => ({ parent_run_id: root }),
    ({ root }) => ({ trace_id: root }),
    ({ root }) => ({ trace_id: root, parent_run_id: root }),
  ];
  const [strange, ...traces] = await packedTraces('now', ways.length + 1);
  const said = await readAll(idsOf([strange!]));
  for (const [at, way] of ways.entries()) {
    const [trace, id] = [traces[at]!, randomUUID()];
    await log({ ...shared, id, ...way(trace, id) });
    await pack();
    const ids = [...idsOf([trace]), id];
    expect([at, await packsOf(ids)]).toEqual([at, [0]]);
    const { runs } = await call('POST', '/runs/query', { trace: trace.root });
    expect(new Set(runs.map((run: { id: string }) => run.id))).toEqual(new Set(ids));
    const below = at !== 2 && { parent_run_id: trace.root, dotted_order: orderOf(trace, id) };
    expect(await read(id)).toMatchObject({ trace_id: trace.root, ...below });
  }
  await expectPacked(idsOf([strange!]));
  expect(await readAll(idsOf([strange!]))).toEqual(said);
});

test('a parent that comes when its child was made a root and packed takes it below it', async () => {
  const [parent, child] = [randomUUID(), randomUUID()];
  const start = Date.now() - 50 * HOUR;
  const run = { name: 'lost', run_type: 'chain', inputs: {}, session_name: 'lost' };
  await log({ ...run, id: child, parent_run_id: parent, start_time: start + 1 });
  expect((await sweepOrphans(platform.db, 0)).orphans).toBeGreaterThan(0);
  await pack();
  await expectPacked([child]);
  expect(await read(child)).toMatchObject({ parent_run_id: null, trace_id: child });
  await log({ ...run, id: parent, start_time: start });
  expect(await read(child)).toMatchObject({ parent_run_id: parent, trace_id: parent });
  expect(await read(parent)).toMatchObject({ child_run_ids: [child] });
});

test('what is said of packed runs finds them, and leaves them packed', async () => {
  const { id: dataset_id } = await call('POST', '/datasets', { name: 'from packed runs' });
  const project = await call('POST', '/sessions', { name: 'said', reference_dataset_id: dataset_id });
  const talks = traceOf('said', 50, { extra: { metadata: { thread_id: 'a talk' } } });
  // Of some it is said before they come.
  const early = traceOf('said');
  await call('POST', '/feedback', { run_id: early.model, key: 'early', score: 1 });
  await log(...talks.posts, ...early.posts);
  const traces = [talks, early, ...(await packedTraces('said', 2))];
  const [, , rated, queued] = traces as [Trace, Trace, Trace, Trace];
  await expectPacked(idsOf(traces));

  await call('POST', '/feedback', { run_id: rated.model, key: 'good', score: 1 });
  const about = async (id: string) => [
    await select('select project_id, trace_id from tracing.feedback where run_id = $1', [id]),
    await select('select trace_id from tracing.kept_run where run_id = $1', [id]),
  ];
  expect(await about(rated.model)).toEqual([
    [{ project_id: project.id, trace_id: rated.root }],
    [{ trace_id: rated.root }],
  ]);
  expect(await read(rated.root)).toMatchObject({ trace_tier: 'longlived', trace_upgrade: true });
  await settleKept(platform.db);
  const stats = await call('GET', `/sessions/${project.id}?include_stats=true`);
  expect(stats.feedback_stats).toMatchObject({ good: { n: 1 }, early: { n: 1 } });
  expect(await about(early.model)).toEqual([
    [{ project_id: project.id, trace_id: early.root }],
    [{ trace_id: early.root }],
  ]);

  const queue = await call('POST', '/annotation-queues', { name: 'packed' });
  const items = `/platform/annotation-queues/${queue.id}/items`;
  const talk = { item_type: 'THREAD', thread_id: 'a talk', project_id: project.id };
  const start_time = expect.stringContaining(new Date(talks.start).toISOString().slice(0, -1));
  const added = await call('POST', `${items}?extend_trace_retention=true`, {
    items: [{ run_id: queued.root }, talk],
  });
  expect(added.items).toMatchObject([
    { run_id: queued.root, project_id: project.id, start_time: expect.any(String) },
    { ...talk, start_time },
  ]);
  expect(await about(queued.root)).toEqual([[], [{ trace_id: queued.root }]]);
  const fill = { queue_id: queue.id, session_ids: [project.id] };
  expect(await call('POST', '/annotation-queues/populate', fill)).toEqual({ count: 3 });

  const anyone = {};
  const { share_token } = await call('PUT', `/runs/${rated.root}/share`, {});
  const shared = async (token: string, path: string) =>
    (await ask(api.url, 'GET', `/public/${token}/${path}`, undefined, anyone)).json;
  expect(await shared(share_token, `run/${rated.model}`)).toMatchObject({ id: rated.model, name: 'model' });
  expect(await shared(share_token, 'feedback')).toMatchObject([{ run_id: rated.model, key: 'good' }]);
  const thread = await call('POST', '/api/v2/threads/a%20talk/share', { project_id: project.id });
  expect(await shared(thread.share_token, `run/${talks.model}`)).toMatchObject({ id: talks.model });

  const source = { source_run_id: rated.root, use_source_run_io: true };
  const made = await call('POST', '/examples', { dataset_id, ...source });
  expect(await call('GET', `/examples/${made.id}`)).toMatchObject({
    source_run_id: rated.root,
    inputs: { question: `asked of ${rated.root}` },
    outputs: { answer: `said by ${rated.root}` },
  });
  expect(await marks()).toEqual([]);
  expect((await packsOf(idsOf(traces))).every((number) => number > 0)).toBe(true);
});

test('packed runs are counted at the price of now, and what is due of one is told before it is packed', async () => {
  const due = traceOf('paid');
  const silent = {
    ...due.posts[1],
    outputs: { choices: [{ message: { role: 'assistant', content: 'x' } }] },
  };
  await log(due.posts[0]!, silent);
  const [trace, other] = (await packedTraces('paid', 2)) as [Trace, Trace];
  expect(await packsOf(idsOf([due]))).toEqual([0]);
  expect(await sweepUsage({ db: platform.db, prices: new Prices(platform.db) })).toMatchObject({ told: 1 });
  await pack();
  await expectPacked(idsOf([due]));
  const { total_tokens } = await read(due.model);
  expect(total_tokens).toBeGreaterThan(0);

  const price = { name: 'own', match_pattern: '^own-', prompt_cost: '0.001', completion_cost: '0.01' };
  await call('POST', '/model-price-map', price);
  expect(await read(trace.root)).toMatchObject({ total_tokens: 110, total_cost: null });
  await call('POST', '/model-price-map/recompute', { session_id: await projectOf('paid') });
  await until('it is counted', async () => (await read(due.model)).total_cost !== null);
  for (const { root, model } of [trace, other])
    for (const id of [root, model]) expect(await read(id)).toMatchObject({ total_cost: '0.2' });
  await pack();
  await expectPacked(idsOf([trace, other, due]));
  expect(await read(trace.root)).toMatchObject({ total_cost: '0.2' });
});

test('a packed trace, and a packed project, go with all they said, and others stay as they are', async () => {
  const traces = await packedTraces('deleted', 3);
  const others = await packedTraces('not deleted', 2);
  const [gone, ...left] = traces as [Trace, ...Trace[]];
  const said = await readAll(idsOf(left));
  const kept = await readAll(idsOf(others));
  await expectPacked(idsOf(traces));
  await accepted(api.url, 'DELETE', `/runs/${gone.root}`);
  await until('it is gone', async () => (await ask(api.url, 'GET', `/runs/${gone.root}`)).status === 404);
  expect(await packsOf(idsOf([gone]))).toEqual([]);
  expect(await readAll(idsOf(left))).toEqual(said);
  const text = await storedBodies(platform.db);
  for (const id of idsOf([gone])) expect(text).not.toContain(id);
  for (const id of idsOf(left)) expect(text).toContain(`asked of ${id}`);

  await pack();
  await expectPacked(idsOf(left));
  const id = await projectOf('deleted');
  await accepted(api.url, 'DELETE', `/sessions/${id}`);
  const rowsOf = async () => {
    const tables = ['run_pack', 'run', 'any_run', 'body_block', 'run_words'];
    const counts = tables.map((name) => `select count(*) as n from tracing.${name} where project_id = $1`);
    return (await select<{ n: number }>(counts.join(' union all '), [id])).map(({ n }) => n);
  };
  await until('nothing is left of it', async () => (await rowsOf()).every((n) => n === 0));
  expect(await packsOf(idsOf(traces))).toEqual([]);
  expect(await readAll(idsOf(others))).toEqual(kept);
  await expectPacked(idsOf(others));
});

const DAYS = { days: 400, longDays: 400 };
const statsOf = async (name: string) => {
  await foldMinutes(platform.db);
  const config = { SLIPWAY_TRACE_QUERY_SECONDS: 30, SLIPWAY_TRACE_SEARCH_RUNS: 1 };
  const asked = { tenant_id: FIRST_TENANT_ID, projects: [await projectOf(name)] };
  return (await readMinuteStats({ db: platform.db, config }, asked, -1))?.run_count;
};

test('packs go when their time is over: whole, in part, and not what is kept longer, with its bodies', async () => {
  const of = 'swept';
  const attached = async ({ root }: Trace) => {
    const sha = Buffer.from(root);
    await select('insert into tracing.blob values ($1, $2, 1, $3)', [FIRST_TENANT_ID, sha, 'x']);
    await select(
      `insert into tracing.attachment (tenant_id, run_id, name, mime_type, sha256) values ($1, $2, 'a', 'b', $3)`,
      [FIRST_TENANT_ID, root, sha],
    );
  };
  const old = await packedTraces(of, 2, 60 * 24);
  await attached(old[0]!);
  const days = [40, 35, 25, 20].map((day) => traceOf(of, day * 24));
  const [over, said, young, younger] = days as [Trace, Trace, Trace, Trace];
  await attached(young);
  await log(...over.posts, ...said.posts);
  await moveBodies(platform.db, idsOf([over, said]), Date.now() - 49 * 24 * HOUR);
  await log(...young.posts, ...younger.posts);
  await pack();
  await call('PATCH', `/sessions/${await projectOf(of)}`, { retention_days: 30 });
  await call('POST', '/feedback', { run_id: said.model, key: 'kept', score: 1 });
  await expectPacked(idsOf(days));
  const seen = await readAll(idsOf([said, younger]));
  expect(await statsOf(of)).toBe(12);

  // Bodies are moved while nobody packs: who does is waited for.
  const packer = await platform.db.connect();
  await packer.query('begin');
  const lock = `select pg_advisory_xact_lock(hashtext('tracing.pack'), hashtext($1))`;
  await packer.query(lock, [FIRST_TENANT_ID]);
  const swept = sweepTraces(platform.db, DAYS);
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until('it waits', async () => (await select(waiting)).length === 1);
  await expectPacked(idsOf(days));
  await packer.query('commit');
  packer.release();
  expect(await swept).toMatchObject({ runs: 6, blobs: 1 });
  expect(await packsOf(idsOf([...old, over]))).toEqual([]);
  expect(await packsOf(idsOf([said, young, younger]))).toEqual([0]);
  expect(await readAll(idsOf([said, younger]))).toEqual(seen);
  const attachments = 'select run_id from tracing.attachment where run_id = any($1::uuid[])';
  expect(await select(attachments, [[old[0]!.root, young.root]])).toEqual([{ run_id: young.root }]);
  expect(await select(`select from tracing.body_block where week < now() - interval '37 days'`)).toEqual([]);
  expect(await statsOf(of)).toBe(6);
  const hours = 'select sum(runs)::int as n from tracing.run_hour where project_id = $1';
  expect(await select(hours, [await projectOf(of)])).toEqual([{ n: 6 }]);

  for (let turn = 0; turn < 2; turn++) {
    await pack();
    await expectPacked(idsOf([said, young, younger]));
    expect(await sweepTraces(platform.db, DAYS)).toMatchObject({ runs: 0, blocks: 0, blobs: 0 });
    await expectPacked(idsOf([said, young, younger]));
  }
  expect(await readAll(idsOf([said, younger]))).toEqual(seen);
  expect(await statsOf(of)).toBe(6);
});

test('packed runs are exported once each, and what they said is found', async () => {
  const start = Date.now() - 50 * HOUR;
  // Many at one time: pages end among them.
  const shared = { session_name: 'exported', run_type: 'chain' };
  const runs = Array.from({ length: 1_100 }, (_, at) => {
    const told = { name: `numbered-${at}`, inputs: { at }, tags: [`rarely-${at}`] };
    return { ...shared, ...told, id: randomUUID(), start_time: start + (at < 700 ? 0 : at) };
  });
  await log(...runs.slice(0, 600));
  await pack();
  await log(...runs.slice(600, 1_000));
  await pack();
  await log(...runs.slice(1_000));
  const session_id = await projectOf('exported');
  const exported = await exportedRuns(api.url, { session_id, start_time: new Date(start).toISOString() });
  expect(exported).toHaveLength(runs.length);
  const saidBy = (of: typeof exported) => new Map(of.map((run) => [run.id, run.inputs]));
  expect(saidBy(exported)).toEqual(saidBy(runs));

  await pack();
  const found = async (word: string) => {
    const asked = { session: [session_id], filter: `search("${word}")` };
    return (await call('POST', '/runs/query', asked)).runs.map((run: { name: string }) => run.name);
  };
  expect(await found('rarely-777')).toEqual(['numbered-777']);
  // As a version left it that does not note words.
  await select('delete from tracing.run_words');
  await select(`update tracing.body_block set first_start = '-infinity', last_start = 'infinity'`);
  await settleUnknownWords(platform.db);
  expect(await found('rarely-777')).toEqual(['numbered-777']);
  expect(await found('nowhere')).toEqual([]);
});

test('minutes are counted from packs as they are from rows', async () => {
  const counted = async () => {
    await select(`insert into tracing.run_minute_mark (tenant_id, project_id, minutes)
      select tenant_id, project_id, array_agg(distinct minute) from tracing.run_minute group by 1, 2`);
    await foldMinutes(platform.db);
    return select(`select to_jsonb(m) - 'seconds' as told from tracing.run_minute m
      union all select to_jsonb(h) from tracing.run_minute_histogram h order by 1`);
  };
  await pack();
  const packed = await counted();
  expect(packed.length).toBeGreaterThan(10);
  await select('select tracing.unpack(array(select pack from tracing.run_pack))');
  expect(await marks()).toEqual([]);
  expect(await select('select from tracing.run_pack')).toEqual([]);
  expect(await counted()).toEqual(packed);
});
