import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { makeGate } from '../support/gate.ts';
import { openPost } from '../support/open-answer.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.2' } });
const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
const wait = async (thread: string, body: object) => api.post(`/threads/${thread}/runs/wait`, body);

test("create returns the run's location, which ends with its id", async () => {
  const id = await newThread();
  const { status, json, headers } = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo' });
  expect(status).toBe(200);
  expect(headers.get('content-location')).toBe(`/threads/${id}/runs/${json.run_id}`);
  expect(headers.get('location')).toBeNull();
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  const loose = await api.post('/runs', { assistant_id: 'echo' });
  expect(loose.headers.get('content-location')).toBe(`/runs/${loose.json.run_id}`);
  expect(json.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
});

test('wait keeps the connection alive with newlines, then returns JSON', async () => {
  const id = await newThread();
  const gate = makeGate();
  const input = { ms: 0, until: gate.file };
  const answer = await openPost(`${api.url}/threads/${id}/runs/wait`, { assistant_id: 'sleepy', input });
  await answer.until('two newlines', (text) => text.length >= 2);
  gate.open();
  const text = await answer.whole();
  const json: unknown = JSON.parse(text);
  expect(answer.status).toBe(200);
  expect(text).toMatch(/^\n{2,}\{.*\}$/);
  expect(json).toEqual({ ...input, slept: 0 });
  const { headers } = answer;
  const run = headers.get('content-location')!;
  expect(run).toMatch(new RegExp(`^/threads/${id}/runs/[0-9a-f-]{36}$`));
  expect(headers.get('location')).toBe(`${run}/join`);
  expect((await api.get(`${run}/join`)).json).toEqual(json);
});

test('a threadless wait can be joined at its Location', async () => {
  const { headers, json } = await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'x' } });
  expect(headers.get('content-location')).toMatch(/^\/runs\/[0-9a-f-]{36}$/);
  const join = headers.get('location')!;
  expect(join).toMatch(/^\/threads\/[0-9a-f-]{36}\/runs\/[0-9a-f-]{36}\/join$/);
  expect((await api.get(join)).json).toEqual(json);
  const [, , thread] = join.split('/');
  expect((await api.post('/threads/search', { ids: [thread] })).json).toEqual([]);
});

test('on_completion keep leaves the hidden thread readable', async () => {
  const body = { assistant_id: 'echo', input: { text: 'k' }, on_completion: 'keep' };
  const { headers } = await api.post('/runs/wait', body);
  const [, , thread] = headers.get('location')!.split('/');
  expect((await api.get(`/threads/${thread}`)).json).toMatchObject({ status: 'idle', values: { echo: 'k' } });
  expect((await api.get(`/threads/${thread}/state`)).json.values).toMatchObject({ echo: 'k' });
  expect((await api.post('/threads/count', { values: { echo: 'k' } })).json).toBe(0);
});

test('a failure is a 200 with the error, without internal details', async () => {
  const id = await newThread();
  const { status, json, headers } = await wait(id, { assistant_id: 'boom', input: {} });
  expect(status).toBe(200);
  expect(json).toEqual({
    __error__: { error: 'Error', message: expect.stringContaining('cannot connect to') },
  });
  const join = await api.get(headers.get('location')!);
  expect(join.json).toEqual(json);
  const state = await api.get(`/threads/${id}/state`);
  const thread = await api.get(`/threads/${id}`);
  for (const { text } of [join, state, thread]) expect(text).not.toMatch(/hunter2|db\.internal/);
});

test('without a platform, wait and join return no feedback URLs', async () => {
  const id = await newThread();
  const body = { assistant_id: 'echo', input: { text: 'x' }, feedback_keys: ['helpful'] };
  const { json, headers } = await wait(id, body);
  expect(json).toMatchObject({ echo: 'x' });
  expect(json).not.toHaveProperty('__feedback__');
  expect((await api.get(headers.get('location')!)).json).toEqual(json);
});

test('any content type is parsed as JSON; unknown fields and nulls are ignored', async () => {
  const body = JSON.stringify({
    assistant_id: 'echo',
    input: { text: 'x' },
    streamMode: 1,
    config: null,
    webhook: null,
    command: null,
  });
  const plain = await api.post('/runs/wait', body, { 'content-type': 'text/plain;charset=UTF-8' });
  expect(plain.json).toMatchObject({ echo: 'x' });
});

test('NUL becomes U+FFFD in input and output', async () => {
  const id = await newThread();
  const body = { assistant_id: 'echo', input: { text: 'a\0b' }, metadata: { note: 'c\0d' } };
  expect((await wait(id, body)).json.echo).toBe('a\uFFFDb');
  const [run] = (await api.get(`/threads/${id}/runs`)).json;
  expect(run).toMatchObject({ metadata: { note: 'c\uFFFDd' }, kwargs: { input: { text: 'a\uFFFDb' } } });
  expect((await api.get(`/threads/${id}`)).json.values.text).toBe('a\uFFFDb');
});

test('server keys are silently dropped', async () => {
  const id = await newThread();
  const { json } = await api.post(`/threads/${id}/runs`, {
    assistant_id: 'echo',
    metadata: { mine: 1, thread_id: 'x', run_id: 'x', cron_id: 'x', counters_since_delta_snapshot: 1 },
    config: {
      configurable: {
        mine: 1,
        langgraph_auth_user: { identity: 'root' },
        langgraph_auth_user_id: 'root',
        __otel_trace: 'x',
        thread_id: randomUUID(),
      },
    },
  });
  expect(json.metadata).toEqual({ mine: 1, assistant_id: json.assistant_id, graph_id: 'echo' });
  const { configurable } = json.kwargs.config;
  expect(configurable).toMatchObject({ mine: 1, thread_id: id, run_id: json.run_id });
  expect(
    Object.keys(configurable).filter(
      (key) => /auth_user$|auth_user_id$|^__/.test(key) && configurable[key] === 'root',
    ),
  ).toEqual([]);
  expect(json.kwargs.context).not.toHaveProperty('__otel_trace');
});

test('a request id is echoed or generated, and reaches the run', async () => {
  const id = await newThread();
  const own = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo' }, { 'x-request-id': 'req-7' });
  expect(own.headers.get('x-request-id')).toBe('req-7');
  expect(own.json.kwargs.config.configurable.langgraph_request_id).toBe('req-7');
  expect((await api.get(`/threads/${id}/runs`)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('request headers do not reach the graph by default', async () => {
  const headers = { 'x-custom': 'custom-7', authorization: 'Bearer secret-7', 'x-api-key': 'key-7' };
  const { text } = await api.post('/runs', { assistant_id: 'echo' }, headers);
  expect(text).not.toMatch(/custom-7|secret-7|key-7/);
});

test('query lists can be repeated, comma-separated or JSON', async () => {
  const id = await newThread();
  const { json } = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo' });
  const wanted = [{ run_id: json.run_id, metadata: json.metadata }];
  for (const query of [
    'select=run_id&select=metadata',
    'select=run_id,metadata',
    `select=${encodeURIComponent('["run_id","metadata"]')}`,
  ]) {
    expect((await api.get(`/threads/${id}/runs?${query}`)).json).toEqual(wanted);
  }
  expect((await api.get(`/threads/${id}/runs?status=timeout`)).json).toEqual([]);
});

test('the option for missing threads has two names', async () => {
  for (const name of ['if_not_exists', 'on_not_exist']) {
    const id = randomUUID();
    expect(
      (await wait(id, { assistant_id: 'echo', input: { text: 'x' }, [name]: 'create' })).json,
    ).toMatchObject({ echo: 'x' });
    expect((await api.get(`/threads/${id}`)).status).toBe(200);
  }
});

test('a run from a checkpoint without input replays it with null input', async () => {
  const id = await newThread();
  await wait(id, { assistant_id: 'steps', input: { steps: 2 } });
  const history = (await api.post(`/threads/${id}/history`, { limit: 10 })).json;
  const { checkpoint_id } = history.at(-2);
  expect((await wait(id, { assistant_id: 'steps', checkpoint_id })).json).toEqual({ steps: 2, done: [1, 2] });
  const [run] = (await api.get(`/threads/${id}/runs?limit=1`)).json;
  expect(run.kwargs.input).toBeNull();
});

test('exactly one of many parallel runs with reject is accepted', async () => {
  const id = await newThread();
  const body = { assistant_id: 'sleepy', input: { ms: 600_000 }, multitask_strategy: 'reject' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.post(`/threads/${id}/runs`, body)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  expect((await api.get(`/threads/${id}/runs`)).json).toHaveLength(1);
});

test('searches runs of all threads in pages, and counts them by status', async () => {
  const metadata = { batch: randomUUID() };
  const id = await newThread();
  const input = { text: 'hi' };
  await wait(id, { assistant_id: 'echo', input, metadata });
  await wait(id, { assistant_id: 'boom', input, metadata });
  const { json: loose } = await api.post('/runs', {
    assistant_id: 'echo',
    input,
    metadata,
    on_completion: 'keep',
  });
  await api.get(`/threads/${loose.thread_id}/runs/${loose.run_id}/join`);

  const search = (body: object) => api.post('/runs/search', { metadata, ...body });
  const { json: all } = await search({});
  expect(all.map(({ thread_id, status }: any) => [thread_id, status])).toEqual([
    [loose.thread_id, 'success'],
    [id, 'error'],
    [id, 'success'],
  ]);
  const page = await search({ limit: 1, offset: 1, select: ['run_id'] });
  expect(page.json).toEqual([{ run_id: all[1].run_id }]);
  expect(page.headers.get('x-pagination-next')).toBe('2');
  expect((await search({ thread_id: id, status: 'success', sort_order: 'asc' })).json).toHaveLength(1);
  expect((await search({ assistant_id: 'boom', sort_by: 'created_at' })).json).toHaveLength(1);
  expect((await search({ ids: [loose.run_id] })).json).toHaveLength(1);
  expect((await search({ sort_by: 'kwargs' })).status).toBe(422);

  const { json: counts } = await api.post('/runs/stats', { metadata });
  expect(counts).toMatchObject({ n_runs: 3, n_success: 2, n_error: 1, n_pending: 0, n_running: 0 });
  expect((await api.get(`/runs/stats?thread_id=${id}`)).json).toMatchObject({ n_runs: 2, n_error: 1 });
  expect((await api.get('/runs/stats?status=done')).status).toBe(422);
});
