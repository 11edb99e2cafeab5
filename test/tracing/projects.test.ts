import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, RunTree } from 'langsmith';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';
import { until } from '../support/until.ts';
import { accepted } from './accepted.ts';

const platform = usePlatform();
// Keeps the runs of these tests from expiring as time passes.
const KEPT = { SLIPWAY_TRACE_RETENTION_DAYS: '36500' };
let api: PlatformProcess;
let other: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('platform', KEPT);
  other = await platform.start('api');
  client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
});

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

async function countRows(table: string, column: string, id: string): Promise<number> {
  const { rows } = await platform.db.query<{ n: number }>(
    `select count(*) as n from tracing.${table} where ${column} = $1`,
    [id],
  );
  return rows[0]!.n;
}

/** Logs a trace with a root of two seconds and a model call. */
async function logTrace(url: string, session_name: string, more: object = {}): Promise<string> {
  const [id, child] = [randomUUID(), randomUUID()];
  const dotted_order = `20260102T030405000000Z${id}`;
  const post = [
    {
      id,
      trace_id: id,
      dotted_order,
      name: 'root',
      run_type: 'chain',
      start_time: '2026-01-02T03:04:05Z',
      end_time: '2026-01-02T03:04:07Z',
      session_name,
      ...more,
    },
    {
      id: child,
      trace_id: id,
      parent_run_id: id,
      dotted_order: `${dotted_order}.20260102T030405500000Z${child}`,
      name: 'model',
      run_type: 'llm',
      start_time: '2026-01-02T03:04:05.5Z',
      end_time: '2026-01-02T03:04:06.5Z',
      session_name,
    },
  ];
  expect((await ask(url, 'POST', '/runs/batch', { post })).status).toBe(202);
  // Token counting is tested elsewhere.
  await platform.db.query(
    'update tracing.run set prompt_tokens = 7, completion_tokens = 3, total_tokens = 10 where id = $1',
    [child],
  );
  return id;
}

test('the SDK creates, updates, lists and filters projects', async () => {
  const made = await client.createProject({
    projectName: 'first',
    description: 'one',
    metadata: { team: 'a', dataset_version: 'v1' },
    numExamples: 3,
    evaluatorKeys: ['exact'],
  });
  expect(made).toMatchObject({
    name: 'first',
    reference_dataset_id: null,
    tenant_id: expect.any(String),
    extra: { metadata: { team: 'a' }, num_examples: 3, evaluator_keys: ['exact'] },
  });
  await expect(client.createProject({ projectName: 'first' })).rejects.toMatchObject({ status: 409 });
  const again = await client.createProject({ projectName: 'first', upsert: true, metadata: { lang: 'en' } });
  expect(again).toMatchObject({
    id: made.id,
    description: 'one',
    extra: { num_examples: 3, metadata: { team: 'a', lang: 'en' } },
  });
  const ended = await client.updateProject(made.id, {
    metadata: { team: 'b' },
    endTime: '2026-03-01T00:00:00.000Z',
  });
  expect(ended).toMatchObject({
    name: 'first',
    description: 'one',
    end_time: '2026-03-01T00:00:00.000000+00:00',
    extra: { metadata: { team: 'b', lang: 'en' } },
  });
  const dataset = randomUUID();
  await client.createProject({ projectName: 'experiment', referenceDatasetId: dataset });
  const names = async (asked: Parameters<Client['listProjects']>[0]) =>
    (await all(client.listProjects(asked))).map(({ name }) => name);
  expect(await names({ referenceDatasetId: dataset })).toEqual(['experiment']);
  expect(await names({ referenceFree: true, nameContains: 'FIR' })).toEqual(['first']);
  expect(await names({ metadata: { team: 'b' } })).toEqual(['first']);
  expect(await names({ datasetVersion: 'v1' })).toEqual(['first']);
  expect(await names({ projectIds: [made.id] })).toEqual(['first']);
  expect(await names({ name: 'nothing' })).toEqual([]);
  expect(await client.hasProject({ projectName: 'nothing' })).toBe(false);
  expect(await client.readProject({ projectId: made.id })).toMatchObject({ name: 'first' });
  const sorted = await ask(api.url, 'GET', '/sessions?sort_by=name&sort_by_desc=False');
  expect(sorted.json.map(({ name }: { name: string }) => name)).toEqual(['experiment', 'first']);
  for (const query of ['metadata=[]', 'limit=101', 'sort_by=colour', 'id=x'])
    expect((await ask(api.url, 'GET', `/sessions?${query}`)).status).toBe(422);
});

test('computes project statistics over traces and sorts projects by them', async () => {
  await logTrace(api.url, 'counted');
  await logTrace(api.url, 'counted', { error: 'no' });
  await logTrace(api.url, 'less');
  const project = await client.readProject({ projectName: 'counted', includeStats: true });
  expect(project).toMatchObject({
    run_count: 2,
    latency_p50: 2,
    latency_p95: 2,
    error_rate: 0.5,
    total_tokens: 20,
    prompt_tokens: 14,
    completion_tokens: 6,
    feedback_stats: {},
    session_feedback_stats: {},
    last_run_start_time: '2026-01-02T03:04:05.500000+00:00',
  });
  const plain = await client.readProject({ projectName: 'counted' });
  expect(plain).not.toHaveProperty('run_count');
  for (const sort of ['run_count', 'error_rate', 'total_tokens', 'last_run_start_time', 'latency']) {
    const { json } = await ask(
      api.url,
      'GET',
      `/sessions?sort_by=${sort}&name_contains=e&include_stats=true`,
    );
    expect(json.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['less', 'experiment']),
    );
  }
  const counts = await ask(api.url, 'GET', '/sessions?sort_by=run_count&include_stats=true&limit=2');
  expect(counts.json.map((found: { run_count: number }) => found.run_count)).toEqual([2, 1]);
});

test('filters projects like runs and sorts them by feedback', async () => {
  const found = async (query: Record<string, string>) => {
    const { status, json } = await ask(api.url, 'GET', `/sessions?${new URLSearchParams(query).toString()}`);
    return status === 200 ? json.map(({ name }: { name: string }) => name) : status;
  };
  expect(await found({ filter: 'and(has(metadata, \'{"team":"b"}\'), neq(name, "x"))' })).toEqual(['first']);
  expect(await found({ filter: 'or(like(name, "expe%"), search("FIRST"))', sort_by: 'name' })).toEqual([
    'first',
    'experiment',
  ]);
  expect(await found({ filter: 'not(eq(reference_dataset_id, null))' })).toEqual(['experiment']);
  expect(await found({ filter: 'eq(colour, "red")' })).toBe(400);

  for (const [project, scores] of Object.entries({ better: [1, 0.5], worse: [0] }))
    for (const score of scores) {
      const id = await logTrace(api.url, project);
      await client.createFeedback(id, 'graded', { score, value: score > 0 ? 'good' : 'bad' });
    }
  const byScore = { name_contains: 'e', sort_by_feedback_key: 'graded' };
  expect((await found(byScore)).slice(0, 2)).toEqual(['better', 'worse']);
  expect((await found({ ...byScore, sort_by_desc: 'false' })).slice(0, 2)).toEqual(['worse', 'better']);

  const [better, worse] = await Promise.all(
    ['better', 'worse'].map((projectName) => client.readProject({ projectName, includeStats: true })),
  );
  expect(better).toMatchObject({
    feedback_stats: { graded: { n: 2, avg: 0.75 } },
    run_facets: expect.arrayContaining([{ key: 'name', value: 'root', query: 'eq(name, "root")', n: 2 }]),
  });
  const whole = await ask(api.url, 'GET', '/sessions?name=worse&include_stats=true&facets=true');
  expect(whole.json[0].run_facets).toHaveLength(5);
  const stats = await ask(api.url, 'POST', '/runs/stats', { session: [better!.id, worse!.id] });
  expect(stats.json.feedback_stats).toMatchObject({
    graded: { n: 3, avg: 0.5, values: { good: 2, bad: 1 } },
  });
  const grouped = await ask(api.url, 'POST', '/runs/stats', {
    session: [better!.id],
    group_by: { attribute: 'run_type' },
    select: ['feedback_stats'],
  });
  expect(grouped.json).toMatchObject({ chain: { feedback_stats: { graded: { n: 2 } } }, llm: {} });
  await client.createFeedback(null, 'summed', { projectId: worse!.id, score: 3 });
  const own = await ask(api.url, 'POST', '/runs/stats', {
    session: [worse!.id],
    filter: 'search("nothing")',
  });
  expect(own.json).toMatchObject({ feedback_stats: {}, session_feedback_stats: { summed: { avg: 3 } } });

  const series = [
    { name: 'given', metric: 'feedback', feedback_key: 'graded' },
    { name: 'values', metric: 'feedback_values', feedback_key: 'graded' },
    { name: 'runs', metric: 'run_count', group_by: { attribute: 'feedback_label', path: 'graded' } },
  ];
  const { json: drawn } = await ask(api.url, 'POST', '/charts/preview', {
    bucket_info: {
      start_time: '2026-01-02T00:00:00Z',
      end_time: '2026-01-03T00:00:00Z',
      stride: { days: 1 },
    },
    chart: { common_filters: { session: [better!.id, worse!.id] }, series },
  });
  expect(drawn.data.map(({ group, value }: { group: string; value: number }) => [group, value])).toEqual([
    [null, 3],
    ['bad', 1],
    ['good', 2],
    ['bad', 1],
    ['good', 2],
  ]);
});

test('a dashboard uses buckets of the requested time zone', async () => {
  const { id } = await client.readProject({ projectName: 'counted' });
  const { status, json } = await ask(api.url, 'POST', `/sessions/${id}/dashboard`, {
    timezone: 'America/New_York',
    start_time: '2026-01-01T05:00:00Z',
    end_time: '2026-01-03T05:00:00Z',
    stride: { days: 1 },
    group_by: { attribute: 'run_type' },
  });
  expect(status).toBe(200);
  const runs = json.charts.find(({ title }: { title: string }) => title === 'Runs');
  // 03:04 in London is the previous evening in New York.
  expect(
    runs.data.map(({ timestamp, group, value }: Record<string, unknown>) => [timestamp, group, value]),
  ).toEqual([
    ['2026-01-01T05:00:00.000000+00:00', 'chain', 2],
    ['2026-01-02T05:00:00.000000+00:00', 'chain', 0],
    ['2026-01-01T05:00:00.000000+00:00', 'llm', 2],
    ['2026-01-02T05:00:00.000000+00:00', 'llm', 0],
  ]);
  const tokens = json.charts.find(({ title }: { title: string }) => title === 'Tokens');
  expect(tokens.data.find(({ value }: { value: number }) => value === 20)).toMatchObject({ group: 'llm' });
});

test('creates charts in sections, renders, updates and deletes them', async () => {
  const { id: session } = await client.readProject({ projectName: 'counted' });
  const bucket = {
    start_time: '2026-01-02T00:00:00Z',
    end_time: '2026-01-03T00:00:00Z',
    stride: { hours: 12 },
  };
  const section = (await ask(api.url, 'POST', '/charts/section', { title: 'Mine' })).json;
  const chart = (
    await ask(api.url, 'POST', '/charts/create', {
      title: 'Errors',
      chart_type: 'bar',
      section_id: section.id,
      common_filters: { session: [session] },
      series: [
        { name: 'rate', metric: 'error_rate' },
        { name: 'by name', metric: 'run_count', group_by: { attribute: 'name', max_groups: 1 } },
      ],
    })
  ).json;
  const { json: all } = await ask(api.url, 'POST', '/charts', bucket);
  expect(all.sections).toMatchObject([{ title: 'Mine', charts: [{ id: chart.id, title: 'Errors' }] }]);
  const points = all.sections[0].charts[0].data as { value: number | null; group: string | null }[];
  expect(points.map(({ value, group }) => [group, value])).toEqual([
    [null, 0.25],
    [null, null],
    ['model', 2],
    ['model', 0],
  ]);
  const copy = (await ask(api.url, 'POST', '/charts/section/clone', { section_id: section.id })).json;
  const drawn = (await ask(api.url, 'POST', `/charts/section/${copy.id}`, { ...bucket, omit_data: true }))
    .json;
  expect(drawn).toMatchObject({ title: 'Mine (copy)', charts: [{ title: 'Errors', data: [] }] });
  expect((await ask(api.url, 'PATCH', `/charts/${chart.id}`, { title: 'Failures' })).json.title).toBe(
    'Failures',
  );
  const renamed = await ask(api.url, 'PATCH', `/charts/section/${section.id}`, { title: 'Ours' });
  expect(renamed.json).toMatchObject({ id: section.id, title: 'Ours' });
  expect((await ask(api.url, 'POST', `/charts/${chart.id}`, bucket)).json.data).toHaveLength(4);
  const preview = await ask(api.url, 'POST', '/charts/preview', {
    bucket_info: bucket,
    chart: { series: [{ metric: 'latency_p95', filters: { session: [session] } }] },
  });
  expect(preview.json.data[0].value).toBe(2);
  const filtered = (filter: string) =>
    ask(api.url, 'POST', '/charts/preview', {
      bucket_info: bucket,
      chart: {
        common_filters: { session: [session], filter },
        series: [{ metric: 'run_count', filters: { filter: 'eq(is_root, true)' } }],
      },
    });
  expect((await filtered('eq(status, "error")')).json.data[0].value).toBe(1);
  expect((await filtered('eq(run_type, "llm")')).json.data[0].value).toBe(0);
  expect((await filtered('eq(')).status).toBeGreaterThanOrEqual(400);
  expect((await filtered('search(inputs, "x")')).status).toBe(422);
  expect((await ask(api.url, 'DELETE', `/charts/${chart.id}`)).status).toBe(204);
  expect((await ask(api.url, 'DELETE', `/charts/section/${section.id}`)).status).toBe(204);
  expect((await ask(api.url, 'POST', `/charts/section/${section.id}`, bucket)).status).toBe(404);
  const wrong = [
    { ...bucket, timezone: 'Mars/Base' },
    { ...bucket, timezone: '+05:00' },
    { ...bucket, stride: { minutes: 1 } },
    { ...bucket, end_time: bucket.start_time },
  ];
  for (const body of wrong)
    expect((await ask(api.url, 'POST', `/charts/section/${copy.id}`, body)).status).toBe(422);
});

test('hides a deleted project at once and deletes its data soon', async () => {
  const shared = Buffer.from(`shared ${randomUUID()}`);
  const alone = Buffer.from(`alone ${randomUUID()}`);
  const log = async (project_name: string, attachments: Record<string, [string, Uint8Array]>) => {
    const run = new RunTree({
      name: 'r',
      client,
      project_name,
      inputs: { text: 'x'.repeat(5_000) },
      attachments,
    });
    await run.postRun();
    await run.end({ done: true });
    await run.patchRun();
    await client.awaitPendingTraceBatches();
    return run.id;
  };
  const id = await log('doomed', { one: ['text/plain', shared], two: ['text/plain', alone] });
  await log('kept', { one: ['text/plain', shared] });
  await client.createFeedback(id, 'score', { score: 1 });
  const project = await client.readProject({ projectName: 'doomed' });
  expect(await countRows('body_block', 'project_id', project.id)).toBeGreaterThan(0);

  await client.deleteProject({ projectName: 'doomed' });
  await expect(client.readProject({ projectName: 'doomed' })).rejects.toThrow('not found');
  expect((await ask(other.url, 'GET', `/sessions/${project.id}`)).status).toBe(404);
  expect((await ask(api.url, 'DELETE', `/sessions/${project.id}`)).status).toBe(404);
  await until(
    'its bodies are gone',
    async () => (await countRows('body_block', 'project_id', project.id)) === 0,
  );
  await until('its feedback is gone', async () => (await countRows('feedback', 'run_id', id)) === 0);
  expect(await countRows('run', 'project_id', project.id)).toBe(0);
  expect((await ask(api.url, 'GET', `/runs/${id}`)).status).toBe(404);
  const isKept = async (bytes: Buffer) => {
    const { rows } = await platform.db.query('select 1 from tracing.blob where sha256 = $1', [
      createHash('sha256').update(bytes).digest(),
    ]);
    return rows.length === 1;
  };
  expect(await isKept(shared)).toBe(true);
  expect(await isKept(alone)).toBe(false);
});

test('keeps runs logged to a project that another process deleted or renamed', async () => {
  const read = async (name: string) =>
    (await client.readProject({ projectName: name, includeStats: true })) as {
      id: string;
      run_count: number;
    };
  // The other process has cached the ids of these names.
  await logTrace(other.url, 'again');
  await logTrace(other.url, 'before');
  const [again, before] = [await read('again'), await read('before')];
  await client.deleteProject({ projectId: again.id });
  await client.updateProject(before.id, { name: 'after' });
  const id = await logTrace(other.url, 'again');
  await logTrace(other.url, 'before');
  expect(await read('again')).toMatchObject({ run_count: 1 });
  expect((await read('again')).id).not.toBe(again.id);
  expect((await ask(api.url, 'GET', `/runs/${id}`)).json.session_id).toBe((await read('again')).id);
  expect(await read('before')).toMatchObject({ run_count: 1 });
  expect(await read('after')).toMatchObject({ id: before.id, run_count: 1 });
  // An unknown project id is replaced by the name.
  await logTrace(other.url, 'named', { session_id: again.id });
  expect(await read('named')).toMatchObject({ run_count: 1 });
});

test('accepts project names longer than an index entry', async () => {
  const name = Array.from({ length: 200 }, () => randomUUID()).join(' ');
  const id = await logTrace(other.url, name);
  await logTrace(api.url, name);
  const project = await client.readProject({ projectName: name, includeStats: true });
  expect(project).toMatchObject({ name, run_count: 2 });
  expect((await ask(api.url, 'GET', `/runs/${id}`)).json.session_id).toBe(project.id);
  await expect(client.createProject({ projectName: name })).rejects.toMatchObject({ status: 409 });
});

test('deletes several projects and ignores missing ones', async () => {
  const ids = await Promise.all(
    ['one', 'two'].map(async (projectName) => (await client.createProject({ projectName })).id),
  );
  const query = [...ids, randomUUID()].map((id) => `session_ids=${id}`).join('&');
  await accepted(api.url, 'DELETE', `/sessions?${query}`);
  expect((await ask(api.url, 'GET', `/sessions?id=${ids.join('&id=')}`)).json).toEqual([]);
  expect((await ask(api.url, 'DELETE', '/sessions')).status).toBe(422);
});

test("a deletion survives its worker's death's death's death", async () => {
  for (let traces = 0; traces < 5; traces++) await logTrace(api.url, 'long');
  const { id } = await client.readProject({ projectName: 'long' });
  await api.end('SIGKILL');
  await accepted(other.url, 'DELETE', `/sessions/${id}`);
  expect((await ask(other.url, 'GET', `/sessions/${id}`)).status).toBe(404);
  expect(await countRows('run', 'project_id', id)).toBe(10);
  await platform.start('worker', KEPT);
  await until('its runs are gone', async () => (await countRows('run', 'project_id', id)) === 0);
  expect(await countRows('run', 'project_id', id)).toBe(0);
});
