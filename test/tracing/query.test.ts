import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, deflateRawSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { inTransaction } from '../../src/platform/db/database.ts';
import { foldMinutes } from '../../src/tracing/query/fold-minutes.ts';
import { readMinuteStats } from '../../src/tracing/query/minute-stats.ts';
import { collect } from '../support/collect.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';
import { accepted } from './accepted.ts';
import { stamp } from './logged-trace.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
let session: string;
const START = Date.now() - 3_600_000;
const traces: string[] = [];

/**
 * Ten traces of a root and a model call. The third and ninth failed; each took one second longer than the previous.
 */
beforeAll(async () => {
  // Disables usage sweeps, which are tested elsewhere; schedules run at aligned times, so hourly would be too often.
  api = await platform.start('platform', { SLIPWAY_USAGE_SWEEP_SECONDS: '3153600000' });
  client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
  const post = [];
  for (let n = 0; n < 10; n++) {
    const [root, model] = [randomUUID(), randomUUID()];
    traces.push(root);
    const start = START + n * 10_000;
    const order = `${stamp(start)}${root}`;
    const shared = { trace_id: root, session_name: 'asked' };
    post.push({
      ...shared,
      id: root,
      name: n % 2 === 0 ? 'even' : 'odd',
      run_type: 'chain',
      dotted_order: order,
      start_time: start,
      end_time: start + (n + 1) * 1000,
      inputs: { question: `What is number ${n}?`, top: { k: n } },
      outputs: { answer: n === 7 ? 'Sevenfold "quoted" grüße' : 'none' },
      tags: ['all', `t${n}`],
      extra: {
        metadata: { thread_id: n < 4 ? 'talk' : `alone-${n}`, place: n, nested: { deep: [`d${n}`] } },
      },
      ...((n === 3 || n === 9) && { error: 'it broke' }),
    });
    post.push({
      ...shared,
      id: model,
      name: 'model',
      run_type: 'llm',
      parent_run_id: root,
      dotted_order: `${order}.${stamp(start + 1)}${model}`,
      start_time: start + 1,
      end_time: start + 501,
      inputs: { messages: [{ role: 'user', content: `number ${n}` }] },
      outputs: { said: `model ${n}` },
      extra: { metadata: { ls_model_name: n < 5 ? 'small' : 'large' } },
      events: [{ name: 'new_token', time: new Date(start + 101).toISOString() }],
    });
  }
  expect((await ask(api.url, 'POST', '/runs/batch', { post })).status).toBe(202);
  session = (await ask(api.url, 'GET', `/runs/${traces[0]}`)).json.session_id;
});

const query = async (body: object) =>
  (await ask(api.url, 'POST', '/runs/query', { session: [session], ...body })).json;
/** Indexes of the traces whose roots match, oldest first. */
const found = async (filter: string, more: object = {}): Promise<number[]> => {
  const { runs, detail } = await query({ filter, order: 'asc', select: ['trace_id'], ...more });
  if (detail) throw new Error(detail);
  return runs.map(({ trace_id }: { trace_id: string }) => traces.indexOf(trace_id));
};
const roots = { is_root: true };

test.each<[string, object, number[]]>([
  ['eq(status, "error")', {}, [3, 9]],
  ['neq(error, null)', {}, [3, 9]],
  ['and(eq(is_root, true), eq(name, "even"))', {}, [0, 2, 4, 6, 8]],
  ['and(gt(latency, "8s"), lte(latency, 9))', {}, [8]],
  ['lt(time_to_first_token, "50ms")', {}, []],
  ['and(eq(name, "model"), gte(first_token, 0.1))', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['has(tags, "t4")', {}, [4]],
  ['in(tags, ["t4", "t6"])', {}, [4, 6]],
  ['has(metadata, \'{"place": 5}\')', {}, [5]],
  ['and(eq(metadata_key, "place"), eq(metadata_value, "5"))', {}, [5]],
  ['and(eq(metadata_key, "place"), gt(metadata_value, 7))', {}, [8, 9]],
  ['and(eq(metadata_key, "nested.deep"), eq(metadata_value, "d2"))', {}, [2]],
  ['and(eq(metadata_key, "nested.deep"), like(metadata_value, "d_"))', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ['neq(metadata_key, "place")', roots, []],
  [
    'and(in(metadata_key, ["session_id","conversation_id","thread_id"]), eq(metadata_value, "talk"))',
    {},
    [0, 1, 2, 3],
  ],
  ['eq(thread_id, "talk")', {}, [0, 1, 2, 3]],
  [`gte(start_time, "${new Date(START + 80_000).toISOString()}")`, roots, [8, 9]],
  ['search("SEVENFOLD")', {}, [7]],
  ['search("grüße \\"quoted\\"")', {}, [7]],
  ['search(inputs, "number 3?")', roots, [3]],
  ['and(search("model"), not(search(outputs, "4")), eq(run_type, "llm"))', {}, [0, 1, 2, 3, 5, 6, 7, 8, 9]],
  ['or(search("sevenfold"), has(tags, "t1"))', {}, [1, 7]],
  ['and(eq(input_key, "top.k"), gte(input_value, 8))', {}, [8, 9]],
  ['and(eq(output_key, "said"), eq(output_value, "model 2"))', {}, [2]],
  ['eq(run_type, "llm")', { trace_filter: 'eq(name, "odd")' }, [1, 3, 5, 7, 9]],
  [
    'eq(is_root, true)',
    { tree_filter: 'and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "large"))' },
    [5, 6, 7, 8, 9],
  ],
  ['eq(is_root, true)', { tree_filter: 'and(eq(output_key, "said"), eq(output_value, "model 6"))' }, [6]],
  ['eq(feedback_key, "good")', {}, []],
  ['exists(metadata, "ls_model_name")', { run_type: 'chain' }, []],
])('%s %j', async (filter, more, numbers) => {
  expect(await found(filter, more)).toEqual(numbers);
});

test('filters by feedback', async () => {
  for (const [n, score] of [
    [2, 1],
    [3, 0.2],
  ] as const)
    await ask(api.url, 'POST', '/feedback', { run_id: traces[n], key: 'good', score, value: 'fine' });
  expect(await found('and(eq(feedback_key, "good"), gt(feedback_score, 0.5))')).toEqual([2]);
  expect(await found('and(eq(feedback_key, "good"), eq(feedback_value, "fine"))')).toEqual([2, 3]);
  expect(await found('neq(feedback_key, "good")', roots)).toEqual([0, 1, 4, 5, 6, 7, 8, 9]);
});

test('pages in both directions; rejects invalid cursors and filters', async () => {
  for (const order of ['asc', 'desc']) {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null; page++) {
      const { runs, cursors } = await query({ limit: 3, order, cursor, select: ['id'] });
      expect(runs.length).toBe(page < 6 ? 3 : 2);
      seen.push(...runs.map(({ start_time }: { start_time: string }) => start_time));
      cursor = cursors.next;
    }
    expect(seen).toEqual([...seen].sort((one, other) => (one < other === (order === 'asc') ? -1 : 1)));
    expect(new Set(seen).size).toBe(20);
  }
  const everywhere = await ask(api.url, 'POST', '/runs/query', { limit: 100, select: ['id', 'inputs'] });
  expect(everywhere.json.runs).toHaveLength(20);
  expect(everywhere.json.runs[0]).not.toHaveProperty('outputs');
  const refusals = [{ cursor: 'x' }, { filter: 'eq(name,' }, { select: ['nothing'] }, { start_time: 'soon' }];
  const answers = await Promise.all(
    refusals.map((body) => ask(api.url, 'POST', '/runs/query', { session: [session], ...body })),
  );
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 422, 422]);
  expect(answers[1]!.json.detail).toContain('character 9');
});

test('the SDK lists runs, reads a run with its children and reads statistics', async () => {
  const listed = await collect(client.listRuns({ projectName: 'asked', isRoot: true, limit: 4 }));
  expect(listed.map(({ id }) => id)).toEqual(traces.slice(6).toReversed());
  expect(listed[0]).toMatchObject({ inputs: { top: { k: 9 } }, error: 'it broke', status: 'error' });
  const byId = await collect(client.listRuns({ id: [traces[1]!, traces[2]!] }));
  expect(byId).toHaveLength(2);
  const run = await client.readRun(traces[7]!, { loadChildRuns: true });
  expect(run.outputs).toEqual({ answer: 'Sevenfold "quoted" grüße' });
  expect(run.child_runs).toMatchObject([{ name: 'model', outputs: { said: 'model 7' } }]);
  expect(run.child_run_ids).toEqual(run.child_runs!.map(({ id }) => id));
  const stats = await client.getRunStats({ projectNames: ['asked'], isRoot: true });
  expect(stats).toMatchObject({ run_count: 10, error_rate: 0.2, latency_p50: 5.5, latency_avg: 5.5 });
  expect((stats as { latency_p95?: number }).latency_p95).toBeCloseTo(9.55, 5);
  const models = await client.getRunStats({ projectIds: [session], runType: 'llm' });
  expect(models).toMatchObject({ run_count: 10, error_rate: 0, streaming_rate: 1 });
  expect(models.first_token_p50).toBeCloseTo(0.1, 2);
  const threads = await client.listThreads({ projectId: session });
  expect(threads.find(({ thread_id }) => thread_id === 'talk')).toMatchObject({ count: 4 });
});

test('statistics by group, of a search, and facets', async () => {
  const stats = async (body: object) =>
    (await ask(api.url, 'POST', '/runs/stats', { session: [session], ...body })).json;
  expect(await stats({ is_root: true, group_by: { attribute: 'name' }, select: ['run_count'] })).toEqual({
    even: { run_count: 5 },
    odd: { run_count: 5 },
  });
  expect(
    await stats({
      group_by: { attribute: 'metadata', path: 'ls_model_name' },
      run_type: 'llm',
      select: ['run_count'],
    }),
  ).toEqual({ small: { run_count: 5 }, large: { run_count: 5 } });
  expect((await stats({ filter: 'search("sevenfold")' })).run_count).toBe(1);
  expect((await stats({ session: [randomUUID()] })).run_count).toBe(0);
  const { run_facets } = await stats({ select: ['run_facets'] });
  expect(run_facets).toContainEqual({ key: 'name', value: 'model', query: 'eq(name, "model")', n: 10 });
});

const LOCKED_OUT = `select from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

test('recounts dirty minutes with the same result as exact statistics', async () => {
  const { rows } = await platform.db.query<{ tenant_id: string }>(
    'select tenant_id from tracing.project limit 1',
  );
  const config = { SLIPWAY_TRACE_QUERY_SECONDS: 30, SLIPWAY_TRACE_SEARCH_RUNS: 100 };
  const asked = { tenant_id: rows[0]!.tenant_id, projects: [session] };
  const part = {
    from: new Date(START + 15_000).toISOString(),
    until: new Date(START + 85_000).toISOString(),
  };
  const read = () =>
    Promise.all(
      [{ is_root: true }, { run_type: 'llm' }, part].map((more) =>
        readMinuteStats({ db: platform.db, config }, { ...asked, ...more }, 0),
      ),
    );
  const live = await read();
  expect(live).toMatchObject([
    { run_count: 10, error_rate: 0.2, latency_avg: 5.5 },
    { run_count: 10, streaming_rate: 1 },
    { run_count: 14 },
  ]);
  expect(live[0]!.latency_p50! / 5).toBeCloseTo(1, 1);
  expect(live[0]!.latency_p95! / 10).toBeCloseTo(1, 1);
  let folding: Promise<unknown> | undefined;
  await inTransaction(platform.db, async (tx) => {
    // Waits for a concurrent count and then covers everything marked before.
    await tx.query(`select pg_advisory_xact_lock(hashtext('tracing.fold_minutes'))`);
    // The platform may have counted them already.
    await platform.db.query('update tracing.run set name = name');
    folding = foldMinutes(platform.db);
    await until('one is locked out', async () => (await platform.db.query(LOCKED_OUT)).rows.length > 0);
    expect((await tx.query('select 1 from tracing.run_minute_mark')).rows).not.toEqual([]);
  });
  await folding;
  expect((await platform.db.query('select 1 from tracing.run_minute_mark')).rows).toEqual([]);
  expect((await platform.db.query('select 1 from tracing.run_minute')).rows).not.toEqual([]);
  expect(await read()).toEqual(live);
});

test('threads are groups of traces', async () => {
  const { json } = await ask(api.url, 'POST', '/runs/group', {
    session_id: session,
    group_by: 'conversation',
    limit: 3,
  });
  expect(json.total).toBe(7);
  expect(json.groups).toHaveLength(3);
  const last = await ask(api.url, 'POST', '/runs/group', {
    session_id: session,
    filter: 'eq(thread_id, "talk")',
  });
  expect(last.json.groups).toMatchObject([{ group_key: 'talk', count: 4, first_trace_id: traces[0] }]);
});

test('API version 2 returns selected fields page by page', async () => {
  const runs = client.runs as unknown as Record<
    'query' | 'retrieve',
    (...args: unknown[]) => AsyncIterable<any> & Promise<any>
  >;
  const ids = await collect(runs.query({ project_ids: [session], is_root: true, page_size: 4 }));
  expect(ids).toEqual(traces.toReversed().map((id) => ({ id })));
  const run = await runs.retrieve(traces[9], {
    project_id: session,
    selects: ['NAME', 'RUN_TYPE', 'STATUS', 'LATENCY_SECONDS', 'IS_ROOT', 'INPUTS', 'TOTAL_COST', 'METADATA'],
  });
  expect(run).toMatchObject({
    name: 'odd',
    run_type: 'CHAIN',
    status: 'ERROR',
    latency_seconds: 10,
    is_root: true,
  });
  expect(run).toMatchObject({ inputs: { top: { k: 9 } }, metadata: { place: 9 } });
  const v2 = (method: string, path: string, body?: object) => ask(api.url, method, `/api/v2${path}`, body);
  const listed = await v2('POST', '/traces/query', {
    project_id: session,
    selects: ['NAME', 'TOTAL_TOKENS'],
    page_size: 1,
  });
  expect(listed.json).toMatchObject({ items: [{ root_run: { id: traces[9], name: 'odd' } }] });
  expect(listed.json.items[0].trace_aggregates).toHaveProperty('total_tokens');
  expect(listed.json.next_cursor).toEqual(expect.any(String));
  const inside = await v2(
    'GET',
    `/traces/${traces[9]}/runs?project_id=${session}&selects=NAME&selects=STATUS`,
  );
  expect(inside.json.items).toMatchObject([{ name: 'odd' }, { name: 'model', status: 'SUCCESS' }]);
  expect(inside.json.next_cursor).toBeNull();
  const page = `/traces/${traces[9]}/runs?project_id=${session}&selects=NAME&page_size=1`;
  const first = await v2('GET', page);
  expect(first.json.items).toMatchObject([{ name: 'odd' }]);
  const second = await v2('GET', `${page}&cursor=${first.json.next_cursor}`);
  expect(second.json).toMatchObject({ items: [{ name: 'model' }], next_cursor: null });
  const threads = await v2('POST', '/threads/query', { project_id: session, page_size: 4 });
  const rest = await v2('POST', '/threads/query', { project_id: session, cursor: threads.json.next_cursor });
  expect([...threads.json.items, ...rest.json.items].map(({ count }) => count)).toEqual([
    1, 1, 1, 1, 1, 1, 4,
  ]);
  const turns = await v2('GET', `/threads/talk/traces?project_id=${session}&selects=NAME&selects=LATENCY`);
  expect(turns.json.items).toMatchObject([{ trace_id: traces[0], name: 'even', latency: 1 }, {}, {}, {}]);
  const stats = await v2(
    'GET',
    `/threads/talk/stats?session_id=${session}&selects=TURNS&selects=LATENCY_P50`,
  );
  expect(stats.json).toEqual({ turns: 4, latency_p50_seconds: 2.5 });
  await client.createFeedback(traces[0]!, 'polite', { score: 1 });
  // Token counting is tested elsewhere.
  await platform.db.query(
    `update tracing.run set usage = '{"prompt_token_details": {"cache_read": 3}}' where trace_id = $1 and run_type = 'llm'`,
    [traces[0]],
  );
  const whole = await v2('GET', `/threads/talk/stats?session_id=${session}`);
  expect(whole.json).toMatchObject({
    turns: 4,
    feedback_stats: { polite: { n: 1, avg: 1 } },
    prompt_token_details: { raw: { cache_read: 3 } },
  });
  const totals = (more: object) => v2('POST', '/threads/stats', { project_id: session, ...more });
  const select = ['THREAD_COUNT', 'TRACE_COUNT', 'ERROR_RATE', 'LATENCY_P95', 'PROMPT_TOKEN_DETAILS'];
  expect((await totals({ select })).json).toEqual({
    thread_count: 7,
    trace_count: 10,
    error_rate: 0.2,
    latency_p95_seconds: expect.closeTo(9.55),
    prompt_token_details: { cache_read: 3 },
  });
  const some = await totals({
    select: ['THREAD_COUNT', 'TRACE_COUNT', 'THREAD_FEEDBACK_STATS', 'TOTAL_COST'],
    thread_filter: 'eq(thread_id, "talk")',
    tree_filter: 'search("model 0")',
  });
  expect(some.json).toMatchObject({
    thread_count: 1,
    trace_count: 1,
    thread_feedback_stats: { polite: { n: 1 } },
    total_cost: null,
  });
  expect((await totals({ select: [] })).status).toBe(422);
  const talk = await v2('POST', '/threads/query', {
    project_id: session,
    thread_filter: 'eq(thread_id, "talk")',
  });
  expect(talk.json.items).toMatchObject([
    { thread_id: 'talk', latency_p95: expect.closeTo(3.85), feedback_stats: { polite: { n: 1 } } },
  ]);
  const stream = await ask(
    api.url,
    'POST',
    '/api/v2/runs/query',
    { project_ids: [session] },
    {
      'x-api-key': API_KEY,
      accept: 'text/event-stream',
    },
  );
  expect(stream.status).toBe(406);
});

test('reads deflated bodies of older versions', async () => {
  const { rows } = await platform.db.query<{ week: string; id: number; bytes: Buffer }>(
    'select week::text, id, bytes from tracing.body_block',
  );
  const write = (week: string, id: number, bytes: Buffer, encoding: string) =>
    platform.db.query('update tracing.body_block set bytes = $3, encoding = $4 where week = $1 and id = $2', [
      week,
      id,
      bytes,
      encoding,
    ]);
  for (const { week, id, bytes } of rows)
    await write(week, id, deflateRawSync(brotliDecompressSync(bytes)), 'deflate');
  const { json } = await ask(api.url, 'GET', `/runs/${traces[6]}`);
  expect(json.inputs).toEqual({ question: 'What is number 6?', top: { k: 6 } });
  for (const { week, id, bytes } of rows) await write(week, id, bytes, 'brotli');
});

test('deletes a trace and blanks its stored bodies, and nothing else', async () => {
  const places = async () =>
    (
      await platform.db.query<{ bytes: Buffer }>(
        'select bytes from tracing.body_block where tenant_id is not null',
      )
    ).rows.map(({ bytes }) => bytes);
  const stored = async () => (await places()).map((bytes) => brotliDecompressSync(bytes).toString()).join('');
  expect(await stored()).toContain('What is number 5?');
  await accepted(api.url, 'DELETE', `/runs/${traces[5]}`);
  await until('it is gone', async () => (await ask(api.url, 'GET', `/runs/${traces[5]}`)).status === 404);
  const text = await stored();
  expect(text).not.toContain('What is number 5?');
  expect(text).not.toContain('model 5');
  expect((await ask(api.url, 'GET', `/runs/${traces[6]}`)).json.inputs).toEqual({
    question: 'What is number 6?',
    top: { k: 6 },
  });
  await accepted(api.url, 'POST', '/runs/delete', { trace_ids: [traces[4]] });
  await until('eight are left', async () => (await query({ is_root: true })).runs.length === 8);
});

test("another tenant's runs are invisible", async () => {
  await platform.db.query('update tracing.run set tenant_id = $2 where trace_id = $1', [
    traces[0],
    randomUUID(),
  ]);
  const asked = [
    { id: traces[0] },
    { trace: traces[0] },
    { parent_run: traces[0] },
    { filter: `eq(trace_id, "${traces[0]}")` },
  ];
  for (const body of asked) expect((await query(body)).runs).toEqual([]);
  expect((await ask(api.url, 'GET', `/api/v2/runs/${traces[0]}`)).status).toBe(404);
  expect(await found('eq(run_type, "llm")', { trace_filter: `eq(id, "${traces[0]}")` })).toEqual([]);
  const group = await ask(api.url, 'POST', '/runs/group', {
    session_id: session,
    filter: 'eq(thread_id, "talk")',
  });
  expect(group.json.groups).toMatchObject([{ count: 3 }]);
});
