import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import * as newest from 'langsmith';
import * as older from 'langsmith-0.10';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

test.each([
  ['newest', newest],
  // The same class with different private fields.
  ['0.10', older as unknown as typeof newest],
])('stores and returns a complete trace of the SDK (%s)', async (_version, { Client, RunTree }) => {
  const client = new Client({ apiUrl: `${api.url}/api/v1`, apiKey: API_KEY });
  const root = new RunTree({
    name: 'greet',
    run_type: 'chain',
    client,
    project_name: 'greetings',
    inputs: { who: 'Ada' },
    extra: { metadata: { thread_id: 't-1', lang: 'en' } },
    tags: ['b', 'a'],
  });
  await root.postRun();
  const child = root.createChild({
    name: 'model',
    run_type: 'llm',
    inputs: { messages: [{ role: 'user', content: 'hi' }] },
  });
  await child.postRun();
  child.addEvent({ name: 'new_token', time: new Date().toISOString() });
  await child.end({ message: { role: 'assistant', content: 'Hello, Ada' } });
  await child.patchRun();
  await root.end({ said: 'Hello, Ada' });
  await root.patchRun();
  await client.awaitPendingTraceBatches();

  const read = (await ask(api.url, 'GET', `/runs/${root.id}`)).json;
  expect(read).toMatchObject({
    id: root.id,
    trace_id: root.id,
    name: 'greet',
    run_type: 'chain',
    status: 'success',
    inputs: { who: 'Ada' },
    outputs: { said: 'Hello, Ada' },
    tags: ['b', 'a'],
    thread_id: 't-1',
    extra: { metadata: { lang: 'en' }, runtime: expect.objectContaining({ sdk: 'langsmith-js' }) },
  });
  const model = (await ask(api.url, 'GET', `/api/v1/runs/${child.id}/`)).json;
  expect(model).toMatchObject({
    parent_run_id: root.id,
    parent_run_ids: [root.id],
    outputs: { message: { content: 'Hello, Ada' } },
    events: [{ name: 'new_token' }],
    first_token_time: expect.any(String),
    session_id: read.session_id,
  });
});

test('a lone patch waits for its post, without duplicates', async () => {
  const id = randomUUID();
  const patched = await ask(api.url, 'PATCH', `/runs/${id}`, {
    outputs: { n: 1 },
    end_time: 1_700_000_000_500,
  });
  expect(patched.status).toBe(202);
  const post = {
    id,
    name: 'late',
    run_type: 'tool',
    inputs: { q: 'x\u0000y' },
    outputs: {},
    start_time: '2023-11-14T22:13:20',
  };
  for (let times = 0; times < 2; times++)
    expect((await ask(api.url, 'POST', '/runs', post)).status).toBe(202);
  const { json } = await ask(api.url, 'GET', `/runs/${id}`);
  expect(json).toMatchObject({
    name: 'late',
    start_time: '2023-11-14T22:13:20.000000',
    end_time: '2023-11-14T22:13:20.500000',
    inputs: { q: 'x\u0000y' },
    outputs: { n: 1 },
    status: 'success',
  });
  const { rows } = await platform.db.query('select 1 from tracing.run where id = $1', [id]);
  expect(rows).toHaveLength(1);
});

test('stores the valid runs of a batch with an invalid one', async () => {
  const good = randomUUID();
  const { status, json } = await ask(api.url, 'POST', '/runs/batch', {
    post: [
      { id: good, name: 'good', start_time: 1 },
      { id: 'x', name: 'bad' },
      { id: randomUUID(), start_time: 'soon' },
    ],
  });
  expect(status).toBe(422);
  expect(json.detail).toContain('The rest of the batch was stored');
  expect(json.errors).toEqual([
    { run_id: 'x', detail: 'id is not a UUID' },
    { run_id: expect.any(String), detail: expect.stringContaining('start_time is not a valid time') },
  ]);
  expect((await ask(api.url, 'GET', `/runs/${good}`)).json.name).toBe('good');
});

test('run times are UTC, with an offset only in API version 2; execution order 1 selects roots', async () => {
  const [id, child] = [randomUUID(), randomUUID()];
  const start = '2026-01-02T03:04:05.000006';
  const run = { id, trace_id: id, name: 'timed', session_name: 'timed', start_time: `${start}Z` };
  const post = [
    { ...run, end_time: '2026-01-02T04:04:06+01:00' },
    { ...run, id: child, parent_run_id: id },
  ];
  expect((await ask(api.url, 'POST', '/runs/batch', { post })).status).toBe(202);
  const times = { start_time: start, end_time: '2026-01-02T03:04:06.000000', first_token_time: null };
  const { json: whole } = await ask(api.url, 'GET', `/runs/${id}`);
  const naive = expect.stringMatching(/T[\d:.]+$/);
  expect(whole).toMatchObject({ ...times, inserted_at: naive, updated_at: naive });
  const names = Object.keys(times);
  const query = (body: object) =>
    ask(api.url, 'POST', '/runs/query', { session: whole.session_id, select: names, ...body });
  expect((await query({ execution_order: 1 })).json.runs).toEqual([
    expect.objectContaining({ id, ...times }),
  ]);
  for (const body of [{ execution_order: 2 }, { execution_order: 1, is_root: false }])
    expect((await query(body)).status).toBe(422);
  const selects = ['LATENCY_SECONDS', ...names].map((name) => `selects=${name.toUpperCase()}`).join('&');
  const second = await ask(api.url, 'GET', `/api/v2/runs/${id}?project_id=${whole.session_id}&${selects}`);
  expect(second.json).toEqual({
    id,
    start_time: `${start}+00:00`,
    end_time: `${times.end_time}+00:00`,
    first_token_time: null,
    latency_seconds: 1,
  });
});
