import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, type Run } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { collect } from '../support/collect.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { logAnswer } from './log-answer.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api');
  client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
});

interface Judged {
  outputs: Record<string, unknown>;
  referenceOutputs?: Record<string, unknown>;
}
const logRun = (run: object): Promise<string> => logAnswer(api.url, run);
const STARTED = Date.now() - 60_000;
/** Start time of the run with this index. */
const ran = (place: number) => ({ start_time: STARTED + place });

test('compares experiments by example', async () => {
  const { id: datasetId } = await client.createDataset('compared');
  const example = await client.createExample({ q: 1 }, { a: 1 }, { datasetId });
  const runs = [
    await logRun({ ...ran(1), session_name: 'one', reference_example_id: example.id, outputs: { a: 1 } }),
    await logRun({ ...ran(2), session_name: 'two', reference_example_id: example.id, outputs: { a: 2 } }),
  ];
  const read = await Promise.all(runs.map((id) => ask(api.url, 'GET', `/runs/${id}`)));
  const session_ids = read.map(({ json }) => json.session_id);
  const { json: table } = await ask(api.url, 'POST', `/datasets/${datasetId}/runs`, {
    session_ids,
    limit: 10,
  });
  expect(table).toMatchObject([
    { id: example.id, outputs: { a: 1 }, runs: [{ id: runs[0] }, { id: runs[1] }] },
  ]);
  const other = await client.createExample({ q: 2 }, { a: 2 }, { datasetId });
  const third = await logRun({ session_name: 'one', reference_example_id: other.id, outputs: { a: 3 } });
  await client.createFeedback(third, 'close', { score: 0.9 });
  await client.createFeedback(runs[0]!, 'close', { score: 0.1 });
  const asked = async (body: object) =>
    (await ask(api.url, 'POST', `/datasets/${datasetId}/runs`, { session_ids, ...body })).json;
  const filters = { [session_ids[0]]: ['and(eq(feedback_key, "close"), gt(feedback_score, 0.5))'] };
  expect(await asked({ filters })).toMatchObject([{ id: other.id, runs: [{ id: third }] }]);
  expect(await asked({ filters: { [session_ids[1]]: ['search("nothing")'] } })).toEqual([]);
  expect((await asked({ filters: { colour: [] } })).detail).toMatch('not an experiment id');
  for (const [order, first] of [
    ['ASC', example.id],
    ['DESC', other.id],
  ] as const) {
    const rows = await asked({ sort_params: { sort_by: 'feedback.close', sort_order: order } });
    expect(rows.map(({ id }: { id: string }) => id)[0]).toBe(first);
    const page = await ask(api.url, 'POST', `/api/v2/datasets/${datasetId}/experiment-runs`, {
      experiment_ids: session_ids,
      sort: { by: 'close', order },
      selects: ['OUTPUTS', 'FEEDBACK_STATS'],
      page_size: 1,
    });
    expect(page.json.items).toMatchObject([
      { id: first, runs: [{ feedback_stats: { close: { n: 1 } } }, ...(first === example.id ? [{}] : [])] },
    ]);
    const rest = await ask(api.url, 'POST', `/api/v2/datasets/${datasetId}/experiment-runs`, {
      experiment_ids: session_ids,
      page_size: 1,
      sort: { by: 'close', order },
      cursor: page.json.next_cursor,
    });
    expect(rest.json).toMatchObject({ items: [{ dataset_id: datasetId }], next_cursor: null });
  }
  const compared = await client.createComparativeExperiment({
    name: 'which',
    experimentIds: session_ids,
    referenceDatasetId: datasetId,
  });
  await client.createFeedback(runs[0]!, 'ranked', { score: 1, comparativeExperimentId: compared.id });
  const { json: listed } = await ask(api.url, 'GET', `/datasets/${datasetId}/comparative`);
  expect(listed).toMatchObject([
    {
      name: 'which',
      experiments_info: [{ id: session_ids[0], name: 'one' }, { name: 'two' }],
      feedback_stats: { ranked: { n: 1, avg: 1 } },
    },
  ]);
});

test("the SDK's evaluate creates an experiment with runs, scores and a summary", async () => {
  const { id: datasetId } = await client.createDataset('doubles');
  await client.createExamples([
    { dataset_id: datasetId, inputs: { n: 2 }, outputs: { a: 4 } },
    { dataset_id: datasetId, inputs: { n: 3 }, outputs: { a: 9 } },
  ]);
  const results = await evaluate(({ n }: { n: number }) => ({ a: n * 2 }), {
    data: 'doubles',
    client,
    experimentPrefix: 'doubling',
    evaluators: [
      ({ outputs, referenceOutputs }: Judged) => ({
        key: 'right',
        score: outputs['a'] === referenceOutputs?.['a'],
      }),
    ],
    summaryEvaluators: [({ runs }: { runs: Run[] }) => ({ key: 'how many', score: runs.length })],
  });
  expect(results.results).toHaveLength(2);
  await client.awaitPendingTraceBatches();
  const project = await client.readProject({ projectName: results.experimentName });
  expect(project).toMatchObject({ reference_dataset_id: datasetId });
  expect((await client.readDataset({ datasetId })).session_count).toBe(1);

  const body = { session_ids: [project.id] };
  const { json: table } = await ask(api.url, 'POST', `/datasets/${datasetId}/runs`, body);
  const scores = table.map(({ inputs, runs }: { inputs: { n: number }; runs: any[] }) => ({
    n: inputs.n,
    outputs: runs[0].outputs,
    right: runs[0].feedback_stats.right.avg,
  }));
  expect(scores).toHaveLength(2);
  expect(scores).toEqual(
    expect.arrayContaining([
      { n: 2, outputs: { a: 4 }, right: 1 },
      { n: 3, outputs: { a: 6 }, right: 0 },
    ]),
  );
  const feedback = await collect(client.listFeedback({ feedbackKeys: ['how many'] }));
  expect(feedback).toMatchObject([{ run_id: null, session_id: project.id, score: 2 }]);
});

test('updates examples by metadata operations, one by one and by dataset_id', async () => {
  const { id: datasetId } = await client.createDataset('changed');
  const platformPath = `/api/v1/platform/datasets/${datasetId}/examples`;
  const one = await client.createExample(
    { q: 1 },
    { a: 1 },
    { datasetId, metadata: { level: 1, list: ['x'] } },
  );
  const absent = randomUUID();
  const { status, json } = await ask(api.url, 'PATCH', `${platformPath}/metadata`, {
    example_ids: [one.id, absent],
    operations: [
      { operation: 'SET', key: 'level', value: 2 },
      { operation: 'ARRAY_ADD', key: 'list', values: ['y', 'x'] },
      { operation: 'ARRAY_ADD', key: 'dataset_split', values: ['test'] },
      { operation: 'ARRAY_REMOVE', key: 'dataset_split', values: ['base'] },
    ],
  });
  expect({ status, json }).toEqual({
    status: 207,
    json: {
      statuses: [
        { id: one.id, status: 'UPDATED' },
        { id: absent, status: 'NOT_FOUND' },
      ],
    },
  });
  expect((await client.readExample(one.id)).metadata).toEqual({
    level: 2,
    list: ['x', 'y'],
    dataset_split: ['test'],
  });

  const other = randomUUID();
  const body = new FormData();
  const part = (value: object) => new Blob([JSON.stringify(value)], { type: 'application/json' });
  body.append(other, part({ dataset_id: datasetId, metadata: { from: 'parts' } }));
  body.append(`${other}.inputs`, part({ q: 2 }));
  const upserted = await fetch(`${api.url}/v1/platform/examples/multipart`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY },
    body,
  });
  expect(await upserted.json()).toMatchObject({ count: 1, example_ids: [other] });
  expect((await ask(api.url, 'DELETE', `${platformPath}/${absent}`)).status).toBe(404);
  expect((await ask(api.url, 'DELETE', `${platformPath}/${other}`)).status).toBe(204);
  expect((await client.readDataset({ datasetId })).example_count).toBe(1);
});

test("a dataset's share token gives access to its experiments and their feedback", async () => {
  const { id: datasetId } = await client.createDataset('seen');
  const project = await client.createProject({ projectName: 'seen once', referenceDatasetId: datasetId });
  const run = await logRun({ session_name: 'seen once' });
  await client.createFeedback(run, 'clear', { score: 1, sessionId: project.id });
  const { share_token } = await client.shareDataset(datasetId);
  const read = (path: string) =>
    ask(api.url, 'GET', `/public/${share_token}/datasets/${path}`, undefined, {});
  expect((await read('sessions?name_contains=ONCE')).json).toMatchObject([
    { id: project.id, run_count: 1, feedback_stats: { clear: { n: 1 } } },
  ]);
  expect((await read('sessions?name=other')).json).toEqual([]);
  expect((await read('feedback?key=clear')).json).toMatchObject([{ run_id: run, score: 1 }]);
  const strange = await client.createProject({ projectName: 'not of it' });
  expect((await read(`feedback?session=${strange.id}`)).json).toEqual([]);
  const shared = (await ask(api.url, 'PUT', `/runs/${run}/share`, {})).json;
  const response = await ask(api.url, 'GET', `/public/${shared.share_token}/feedback`, undefined, {});
  expect(response.json).toMatchObject([{ run_id: run, key: 'clear' }]);
});

test('fills a queue from experiments and reads it by items', async () => {
  const { id: datasetId } = await client.createDataset('queued');
  const { id: project } = await client.createProject({
    projectName: 'queued',
    referenceDatasetId: datasetId,
  });
  const queued = { session_name: 'queued' };
  const runs = [await logRun({ ...ran(1), ...queued }), await logRun({ ...ran(2), ...queued })];
  const queue = await client.createAnnotationQueue({ name: 'to look at' });
  const fill = { queue_id: queue.id, session_ids: [project] };
  expect((await ask(api.url, 'POST', '/annotation-queues/populate', fill)).json).toEqual({ count: 2 });
  expect((await ask(api.url, 'POST', '/annotation-queues/populate', fill)).json).toEqual({ count: 0 });

  const path = `/api/v1/platform/annotation-queues/${queue.id}/items`;
  const late = await logRun({});
  const { json: added } = await ask(api.url, 'POST', path, {
    items: [{ item_type: 'RUN', run_id: late }, { run_id: runs[0] }],
  });
  expect(added.items).toMatchObject([
    { run_id: late, item_type: 'RUN', start_time: expect.any(String) },
    { run_id: runs[0], project_id: project },
  ]);
  expect((await ask(api.url, 'POST', path, { items: [{ item_type: 'THREAD' }] })).status).toBe(422);

  const talk = { item_type: 'THREAD', thread_id: 'a talk', project_id: project };
  const began = await logRun({ session_name: 'queued', extra: { metadata: { thread_id: 'a talk' } } });
  const { start_time } = (await ask(api.url, 'GET', `/runs/${began}`)).json;
  const { json: talks } = await ask(api.url, 'POST', path, { items: [talk, talk] });
  expect(talks.items).toMatchObject([{ ...talk, run_id: null, start_time: `${start_time}+00:00` }]);
  expect((await ask(api.url, 'POST', path, { items: [talk] })).json.items[0].id).toBe(talks.items[0].id);
  const ofType = async (type: string) =>
    (await ask(api.url, 'GET', `${path}?status=needs_my_review&item_type=${type}`)).json.items;
  expect(await ofType('THREAD')).toMatchObject([talk]);
  expect(await ofType('RUN')).toHaveLength(3);
  const where = (await ask(api.url, 'GET', `${path}/${talks.items[0].id}/placement`)).json;
  expect(where).toMatchObject({ item_type: 'THREAD', position: 3 });
  // The routes for runs do not return threads.
  expect(await client.getSizeFromAnnotationQueue(queue.id)).toEqual({ size: 3 });
  const all = { run_ids: [], exclude_run_ids: [...runs, late], delete_all: true };
  expect((await ask(api.url, 'POST', `/annotation-queues/${queue.id}/runs/delete`, all)).json).toEqual({
    count: 1,
  });

  const page = async (query: string) =>
    (await ask(api.url, 'GET', `${path}?status=needs_my_review&${query}`)).json;
  const first = await page('page_size=2');
  const second = await page(`page_size=2&cursor=${first.next_cursor}`);
  const ids = [...first.items, ...second.items].map(({ run_id }: { run_id: string }) => run_id);
  expect(ids).toEqual([...runs, late]);
  const place = (await ask(api.url, 'GET', `${path}/${second.items[0].id}/placement`)).json;
  expect(place).toMatchObject({ section: 'needs_my_review', position: 2 });
  const before = await page(`page_size=1&direction=backward&cursor=${place.cursor}`);
  expect(before.items).toMatchObject([{ run_id: runs[1] }]);
  expect((await page('direction=backward')).detail).toMatch('cursor');
  expect((await page(`max_start_time=2000-01-01T00:00:00Z`)).items).toEqual([]);

  const done = await ask(api.url, 'POST', `/platform/annotation-queues/items/${second.items[0].id}/status`, {
    status: 'completed',
  });
  expect(done.json).toMatchObject({ is_archived: true, status: 'completed' });
  const count = async (status: string) =>
    (await ask(api.url, 'GET', `${path}/count?status=${status}`)).json.count;
  expect([await count('all'), await count('archived'), await count('needs_my_review')]).toEqual([3, 1, 2]);
  const moved = await ask(api.url, 'PATCH', `${path}/${first.items[0].id}`, {
    added_at: '2030-01-01T00:00:00Z',
  });
  expect(moved.json.added_at).toMatch(/^2030/);
  expect((await ask(api.url, 'POST', `${path}/delete`, { item_ids: [first.items[0].id] })).status).toBe(204);
  expect(await count('all')).toBe(2);
});

test('reads and updates projects and datasets in API version 2; resolves addresses to projects', async () => {
  const v2 = (method: string, path: string, body?: object) => ask(api.url, method, `/api/v2${path}`, body);
  const made = await v2('POST', '/sessions', {
    name: 'second',
    trace_tier: 'SHORT_LIVED',
    extra: { a: 1, b: 2 },
  });
  const { id } = made.json;
  expect(made.json).toMatchObject({ name: 'second', type: 'PROJECT', trace_tier: 'SHORT_LIVED' });
  expect((await v2('POST', '/sessions', { name: 'second' })).status).toBe(409);
  const change = {
    description: 'd',
    longlived_ttl_days: 30,
    trace_tier: 'LONG_LIVED',
    extra: { a: null, c: 3 },
  };
  expect((await v2('PATCH', `/sessions/${id}`, change)).json).toMatchObject({
    description: 'd',
    longlived_ttl_days: 30,
    trace_tier: 'LONG_LIVED',
    extra: { b: 2, c: 3 },
  });
  const cleared = { description: null, longlived_ttl_days: null, extra: null };
  expect((await v2('PATCH', `/sessions/${id}`, cleared)).json).toMatchObject({ ...cleared, extra: {} });
  expect((await v2('PATCH', `/sessions/${randomUUID()}`, {})).status).toBe(404);

  const address = 'lrn:agents/support/environments/production';
  const run = { id: randomUUID(), name: 'addressed', start_time: Date.now(), address, inputs: {} };
  await ask(api.url, 'POST', '/runs/batch', { post: [run] });
  const named = 'kind=AGENT&id=support&environment=PRODUCTION';
  const { json } = await ask(api.url, 'GET', `/api/v1/sessions/resolutions?${named}`);
  expect((await ask(api.url, 'GET', `/runs/${run.id}`)).json.session_id).toBe(json.session_id);
  expect((await v2('GET', `/sessions/${json.session_id}?include_stats=true`)).json).toMatchObject({
    name: 'support/production',
    run_count: 1,
    total_cost: null,
    feedback_stats: {},
  });
  const late = { ...run, id: randomUUID(), name: 'late', start_time: Date.now() + 1_000, tags: ['t'] };
  const child = { ...late, id: randomUUID(), parent_run_id: late.id, name: 'child', error: 'it broke' };
  await ask(api.url, 'POST', '/runs/batch', { post: [late, child] });
  await ask(api.url, 'POST', '/feedback', { run_id: late.id, key: 'good', score: 1 });
  const counted = async (query: string) =>
    (await v2('GET', `/sessions?name=support/production&include_stats=true&${query}`)).json.items[0];
  const since = new Date(late.start_time).toISOString();
  expect(await counted('')).toMatchObject({ run_count: 2, feedback_stats: { good: { n: 1 } } });
  expect(await counted(`stats_start_time=${since}&include_facets=true`)).toMatchObject({
    run_count: 1,
    feedback_stats: { good: { n: 1 } },
    run_facets: expect.arrayContaining([expect.objectContaining({ key: 'name', value: 'late', n: 1 })]),
  });
  const filtered = await counted(
    'stats_filter=eq(name,"addressed")&stats_select=RUN_COUNT&stats_select=feedback_stats',
  );
  expect(filtered).toMatchObject({ run_count: 1, feedback_stats: {} });
  expect(filtered).not.toHaveProperty('latency_p50');
  expect((await v2('GET', '/sessions?include_stats=true&stats_select=weather')).status).toBe(422);
  expect((await v2('GET', '/sessions?include_stats=true&stats_filter=eq(')).status).toBe(400);
  expect((await v2('GET', '/sessions?include_stats=true&stats_start_time=soon')).status).toBe(422);
  const one = `/sessions/${json.session_id}?include_stats=true&stats_start_time=${since}`;
  expect((await v2('GET', one)).json.run_count).toBe(1);
  expect((await ask(api.url, 'GET', `/api/v1${one}`)).json.run_count).toBe(1);
  const nobody = 'kind=AGENT&id=nobody&environment=LOCAL';
  expect((await ask(api.url, 'GET', `/api/v1/sessions/resolutions?${nobody}`)).status).toBe(404);

  const { json: dataset } = await ask(api.url, 'POST', '/datasets', { name: 'second' });
  await v2('POST', '/sessions', { name: 'an experiment', reference_dataset_id: dataset.id });
  const first = (await v2('GET', '/sessions?sort_by=NAME&sort_order=asc&page_size=1')).json;
  const next = (
    await v2('GET', `/sessions?sort_by=NAME&sort_order=asc&page_size=1&cursor=${first.next_cursor}`)
  ).json;
  expect(first.items[0].name < next.items[0].name).toBe(true);
  const experiments = (await v2('GET', '/sessions?type=EXPERIMENT')).json.items;
  expect(experiments.map(({ type, name }: { type: string; name: string }) => [type, name])).toContainEqual([
    'EXPERIMENT',
    'an experiment',
  ]);
  expect((await v2('GET', '/sessions?type=AGENT')).json).toEqual({ items: [], next_cursor: null });
  expect((await v2('GET', '/datasets?name=second&exclude=example_count')).json).toMatchObject({
    items: [{ id: dataset.id, session_count: 1, example_count: null }],
    next_cursor: null,
  });
});

test('groups tokens of model calls by the tags of their traces', async () => {
  const trace_id = randomUUID();
  const run = { trace_id, session_name: 'tagged', start_time: Date.now() - 1_000, inputs: {} };
  const root = { ...run, id: trace_id, name: 'root', run_type: 'chain', tags: ['team a'] };
  const call = {
    ...run,
    id: randomUUID(),
    name: 'call',
    run_type: 'llm',
    parent_run_id: trace_id,
    tags: ['own', 'team a'],
    outputs: { usage_metadata: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } },
  };
  const untagged = { ...call, id: randomUUID(), tags: undefined };
  await ask(api.url, 'POST', '/runs/batch', { post: [root, call, untagged] });
  const { id: session } = await client.readProject({ projectName: 'tagged' });
  const drawn = async (metric: string) => {
    const { json } = await ask(api.url, 'POST', '/charts/preview', {
      bucket_info: { start_time: new Date(run.start_time).toISOString(), stride: { hours: 1 } },
      chart: { common_filters: { session: [session] }, series: [{ metric, group_by: { attribute: 'tag' } }] },
    });
    return json.data.map(({ group, value }: { group: string; value: number }) => [group, value]);
  };
  expect(await drawn('total_tokens')).toEqual([
    ['own', 12],
    ['team a', 24],
  ]);
  expect(await drawn('run_count')).toEqual([
    ['own', 1],
    ['team a', 2],
  ]);
  const counted = async (more: object) => {
    const asked = {
      session: [session],
      group_by: { attribute: 'tag' },
      select: ['run_count', 'total_tokens'],
    };
    return (await ask(api.url, 'POST', '/runs/stats', { ...asked, ...more })).json;
  };
  const [own, team] = [{ run_count: 1, total_tokens: 12 }, { total_tokens: 24 }];
  expect(await counted({})).toEqual({ own, 'team a': { ...team, run_count: 2 } });
  expect(await counted({ run_type: 'llm' })).toEqual({ own, 'team a': { ...team, run_count: 1 } });
  expect(await counted({ is_root: true })).toEqual({ 'team a': { ...team, run_count: 1 } });
  expect(await counted({ filter: `eq(id, "${untagged.id}")` })).toEqual({
    'team a': { run_count: 0, total_tokens: 12 },
  });
});
