import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { packRuns } from '../../src/tracing/packs/pack-runs.ts';
import { ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { HOUR, stamp } from './logged-trace.ts';
import { packedSoFar } from './packed-so-far.ts';

const platform = usePlatform();
let api: PlatformProcess;

const START = Date.now() - 60 * HOUR;
const WAVES = 9;
const TRACES = 18;
// One whose runs say more than a pack tells apart.
const TALKATIVE = 12;
const many = Array.from({ length: 100 }, (_, at) => `m${at}`);
const traces: string[] = [];
const models: string[] = [];
const waves: Date[] = [];
let session: string;
let dataset: string;
let example: string;
const NOBODY = randomUUID();

/** A root, a chain below it and a model call below that. */
function traceOf(n: number): object[] {
  const [root, chain, model] = [randomUUID(), randomUUID(), randomUUID()];
  traces[n] = root;
  models[n] = model;
  const start = START + n * 2 * HOUR;
  const orders = [`${stamp(start)}${root}`];
  orders.push(
    `${orders[0]}.${stamp(start + 1)}${chain}`,
    `${orders[0]}.${stamp(start + 1)}${chain}.${stamp(start + 2)}${model}`,
  );
  const shared = { trace_id: root, session_name: n % 5 === 4 ? 'other' : 'packed' };
  const metadata = {
    thread_id: n % 4 === 0 ? 'talk' : `alone-${n}`,
    place: n,
    nested: { deep: [`d${n}`, 7] },
    isLast: n === TRACES - 1,
    ratio: n / 4,
    said: 'Grüße, "du"',
    ...(n === TALKATIVE && Object.fromEntries(many.map((key) => [key, `value of ${key}`]))),
  };
  return [
    {
      ...shared,
      id: root,
      name: n % 2 === 0 ? 'even' : 'odd',
      run_type: 'chain',
      dotted_order: orders[0],
      start_time: start,
      end_time: start + (n + 1) * 1000,
      inputs: { question: `What is number ${n}?`, top: { k: n } },
      outputs: n === 6 ? undefined : { answer: n === 7 ? 'Sevenfold "quoted" grüße' : 'none' },
      tags: ['all', `t${n}`, 'with "quotes", {braces} and \\', ...(n === TALKATIVE ? many : [])],
      extra: { metadata, runtime: { sdk: 'none' } },
      ...(n % 6 === 3 && { error: 'it\nbroke' }),
      ...(n % 9 === 2 && { reference_example_id: example }),
    },
    {
      ...shared,
      id: chain,
      name: 'chain',
      run_type: 'chain',
      parent_run_id: root,
      dotted_order: orders[1],
      start_time: start + 1,
      inputs: {},
    },
    {
      ...shared,
      id: model,
      name: 'model',
      run_type: 'llm',
      parent_run_id: chain,
      dotted_order: orders[2],
      start_time: start + 2,
      end_time: start + 502,
      inputs: { messages: [{ role: 'user', content: `number ${n}` }] },
      outputs: {
        choices: [{ message: { role: 'assistant', content: `model ${n}` } }],
        model: 'gpt-4o-mini',
        usage: {
          prompt_tokens: 10 + n,
          completion_tokens: 5,
          total_tokens: 15 + n,
          prompt_tokens_details: { cached_tokens: 3 },
        },
      },
      extra: { metadata: { ls_model_name: n < 9 ? 'small' : 'large' } },
      events: [{ name: 'new_token', time: new Date(start + 101).toISOString() }],
    },
  ];
}

const post = async (path: string, body: object, method = 'POST') => {
  const answer = await ask(api.url, method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
};

beforeAll(async () => {
  api = await platform.start('platform', {
    SLIPWAY_USAGE_SWEEP_SECONDS: '3153600000',
    SLIPWAY_TRACE_FOLD_SECONDS: '3153600000',
  });
  ({ id: dataset } = await post('/datasets', { name: 'asked' }));
  ({ id: example } = await post('/examples', { dataset_id: dataset, inputs: { question: 'What?' } }));
  // Those of each wave are among those of the others.
  for (let wave = 0; wave < WAVES; wave++) {
    const some = Array.from({ length: TRACES / WAVES }, (_, at) => traceOf(at * WAVES + wave)).flat();
    await post('/runs/batch', { post: some });
    const { rows } = await platform.db.query<{ now: string }>('select clock_timestamp() as now');
    waves.push(new Date(Date.parse(rows[0]!.now) + 1));
  }
  session = (await post(`/runs/${traces[0]}`, undefined as never, 'GET')).session_id;
  for (const n of [1, 2, 8])
    await post('/feedback', { run_id: traces[n], key: 'good', score: n / 10, value: 'fine', comment: 'so' });
});

// The same in every run of the test.
let seed = 11;
const below = (most: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % most;
};

/** Any of these, put together in any way. */
function combined(filters: string[], depth: number): string {
  const one = () => (below(3) ? combined(filters, depth - 1) : filters[below(filters.length)]!);
  if (depth === 0) return filters[below(filters.length)]!;
  const kind = below(3);
  return kind === 2 ? `not(${one()})` : `${kind ? 'and' : 'or'}(${one()}, ${one()})`;
}

/** Requests of everything that reads runs. */
function questions(): [method: string, path: string, body?: object][] {
  seed = 11;
  const filters = [
    'eq(status, "error")',
    'neq(error, null)',
    'and(eq(is_root, true), eq(name, "even"))',
    'gt(latency, "8s")',
    'has(tags, "t4")',
    'in(tags, ["t4", "t6"])',
    'has(tags, "with \\"quotes\\", {braces} and \\\\")',
    'has(metadata, \'{"place": 5}\')',
    'has(metadata, \'{"thread_id": "talk"}\')',
    'and(eq(metadata_key, "nested.deep"), eq(metadata_value, "d2"))',
    'and(eq(metadata_key, "nested.deep"), eq(metadata_value, "7"))',
    'and(eq(metadata_key, "ls_model_name"), in(metadata_value, ["large", "none"]))',
    'neq(metadata_key, "place")',
    'or(eq(thread_id, "talk"), has(tags, "t5"))',
    'not(eq(name, "model"))',
    'and(eq(run_type, "llm"), gte(total_tokens, 20))',
    'search("SEVENFOLD")',
    'search("model 1")',
    'eq(feedback_key, "good")',
    'and(eq(feedback_key, "good"), gt(feedback_score, 0.15))',
    `gte(start_time, "${new Date(START + 20 * HOUR).toISOString()}")`,
    'eq(name, "nobody")',
    'has(tags, "m50")',
    'has(metadata, \'{"m50": "value of m50"}\')',
    'and(eq(metadata_key, "m51"), eq(metadata_value, "value of m51"))',
    'in(name, ["even", "chain"])',
    'neq(name, "even")',
    'has(metadata, \'{"nested": {"deep": ["d3"]}}\')',
    'has(metadata, \'{"isLast": true, "ratio": 0.5}\')',
    'and(eq(metadata_key, "isLast"), eq(metadata_value, "true"))',
    'and(eq(metadata_key, "ratio"), eq(metadata_value, 0.5))',
    'and(eq(metadata_key, "said"), eq(metadata_value, "Grüße, \\"du\\""))',
  ];
  const combinations = Array.from({ length: 24 }, () => combined(filters, 3));
  const [from, until] = [7, 23].map((hours) => new Date(START + hours * HOUR).toISOString());
  const of = { session: [session] };
  const runs = (body: object): [string, string, object] => ['POST', '/runs/query', { ...of, ...body }];
  const stats = (body: object): [string, string, object] => ['POST', '/runs/stats', { ...of, ...body }];
  const v2 = (path: string, body: object): [string, string, object] => ['POST', `/api/v2${path}`, body];
  return [
    ...filters.flatMap((filter) => [
      runs({ filter }),
      runs({ filter, order: 'asc', limit: 3 }),
      stats({ filter }),
    ]),
    ...combinations.map((filter) => runs({ filter, select: ['id'] })),
    ...[
      {},
      { is_root: true },
      { error: true },
      { run_type: 'llm' },
      { limit: 4 },
      { session: undefined },
    ].map(runs),
    runs({ start_time: from, end_time: until }),
    runs({ start_time: from, end_time: until, order: 'asc', is_root: true }),
    runs({ trace: traces[4] }),
    runs({ id: [traces[1], models[5], NOBODY] }),
    runs({ parent_run: traces[3] }),
    runs({ reference_example: [example] }),
    runs({ filter: 'eq(run_type, "llm")', trace_filter: 'eq(name, "odd")' }),
    runs({
      is_root: true,
      tree_filter: 'and(eq(metadata_key, "ls_model_name"), eq(metadata_value, "large"))',
    }),
    runs({
      is_root: true,
      tree_filter: 'and(eq(output_key, "choices.message.content"), like(output_value, "model 1%"))',
    }),
    ...traces.slice(0, 4).flatMap((id): [string, string][] => [
      ['GET', `/runs/${id}`],
      ['GET', `/runs/${models[traces.indexOf(id)]}`],
    ]),
    ['GET', `/runs/${NOBODY}`],
    stats({}),
    stats({ is_root: true }),
    stats({ start_time: from, end_time: until }),
    stats({ group_by: { attribute: 'name' } }),
    stats({ group_by: { attribute: 'tag' } }),
    stats({ group_by: { attribute: 'metadata', path: 'ls_model_name' }, run_type: 'llm' }),
    stats({ select: ['run_facets', 'feedback_stats'] }),
    ['POST', '/runs/group', { session_id: session, group_by: 'conversation', limit: 3 }],
    [
      'POST',
      '/runs/group',
      { session_id: session, group_by: 'conversation', filter: 'eq(thread_id, "talk")' },
    ],
    ['GET', `/sessions?include_stats=true`],
    ['GET', `/sessions?include_stats=true&sort_by=latency_p50`],
    ['GET', `/sessions/${session}?include_stats=true`],
    v2('/runs/query', {
      project_ids: [session],
      page_size: 100,
      selects: ['NAME', 'INPUTS_PREVIEW', 'OUTPUTS_PREVIEW', 'TOTAL_COST'],
    }),
    v2('/traces/query', { project_id: session, selects: ['NAME', 'TOTAL_TOKENS'], page_size: 5 }),
    v2('/threads/query', { project_id: session, page_size: 4 }),
    ['GET', `/api/v2/traces/${traces[3]}/runs?project_id=${session}&selects=NAME&selects=STATUS`],
    ['GET', `/api/v2/threads/talk/traces?project_id=${session}&selects=NAME&selects=LATENCY`],
    [
      'GET',
      `/api/v2/threads/talk/stats?session_id=${session}&selects=TURNS&selects=TOTAL_TOKENS&selects=PROMPT_TOKEN_DETAILS`,
    ],
    ['GET', `/feedback?run=${traces[2]}`],
    ['POST', `/datasets/${dataset}/runs`, { session_ids: [session] }],
  ];
}

/** By what was asked. */
async function answers(): Promise<Record<string, unknown>> {
  const asked: Record<string, unknown> = {};
  for (const [method, path, body] of questions()) {
    const { status, json } = await ask(api.url, method, path, body);
    asked[`${method} ${path} ${JSON.stringify(body ?? {})}`] = { status, json };
  }
  return asked;
}

test('a pack has every column of a run', async () => {
  const columnsOf = async (table: string) => {
    const { rows } = await platform.db.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [`tracing.${table}`],
    );
    return rows.map(({ name }) => name);
  };
  const run = await columnsOf('run');
  expect(await columnsOf('any_run')).toEqual(expect.arrayContaining(run));
  // The dotted order and the status follow from the others.
  const kept = run.filter((name) => !['dotted_order', 'status'].includes(name));
  expect(await columnsOf('run_pack')).toEqual(expect.arrayContaining(kept));
});

test('what is packed is answered as it was before', async () => {
  const before = await answers();
  for (const [question, { status }] of Object.entries(before) as [string, { status: number }][])
    expect([question, [200, 404].includes(status)]).toEqual([question, true]);
  // Small packs whose runs are among each other's, of one trace or two; and rows among them.
  for (const wave of waves.slice(0, -2)) expect(await packRuns(platform.db, wave, 1)).toBe(6);
  const { packs, ...runs } = await packedSoFar(platform.db);
  expect(runs).toEqual({ packed: 42, rows: 12 });
  expect(packs).toBeGreaterThan(8);
  expect(await answers()).toEqual(before);
  const { rows: untold } = await platform.db.query<{ packs: number[] }>(
    `select tracing.packs_saying('{tag:*,metadata:*}') as packs`,
  );
  expect(untold[0]!.packs).toHaveLength(1);
  expect(await packRuns(platform.db, waves.at(-1)!, 1)).toBe(12);
  expect(await packedSoFar(platform.db)).toMatchObject({ packed: 54, rows: 0 });
  expect(await answers()).toEqual(before);
  await platform.db.query('select tracing.unpack(array(select pack from tracing.run_pack))');
  expect(await packedSoFar(platform.db)).toEqual({ packs: 0, packed: 0, rows: 54 });
  expect(await answers()).toEqual(before);
});
