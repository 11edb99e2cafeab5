import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

async function create(fields: object = {}) {
  const { status, json } = await api.post('/threads', fields);
  expect(status).toBe(200);
  return json;
}

const status = async (answer: Promise<{ status: number }>) => (await answer).status;
const search = async (body: object) => (await api.post('/threads/search', body)).json;

test('an empty body creates an idle, empty thread with a time-ordered id', async () => {
  const { json } = await api.post('/threads', '');
  expect(json).toEqual({
    thread_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
    updated_at: json.created_at,
    state_updated_at: json.created_at,
    metadata: {},
    status: 'idle',
    config: {},
    values: null,
    interrupts: {},
    error: null,
  });
  expect((await api.get(`/threads/${json.thread_id}`)).json).toEqual(json);
});

test('drops server keys from metadata and replaces NUL characters', async () => {
  const metadata = { owner: 'a\0b', thread_id: 'forged', run_id: 'forged', nothing: null };
  expect((await create({ metadata })).metadata).toEqual({ owner: 'a\uFFFDb', nothing: null });
});

test('an existing id returns 409, or the existing thread', async () => {
  const thread_id = randomUUID();
  const thread = await create({ thread_id, metadata: { a: 1 } });
  expect(thread.thread_id).toBe(thread_id);
  expect(await status(api.post('/threads', { thread_id }))).toBe(409);
  expect(await create({ thread_id, if_exists: 'do_nothing', metadata: { b: 1 } })).toEqual(thread);
});

test.each([
  { thread_id: 'x' },
  { metadata: 'x' },
  { if_exists: 'explode' },
  { ttl: 0 },
  { ttl: 'soon' },
  { ttl: { strategy: 'delete' } },
  { ttl: { ttl: 1, strategy: 'forget' } },
  { supersteps: [{ updates: [{ values: {} }] }] },
])('creating with %j answers 422', async (body) => {
  const answer = await api.post('/threads', body);
  expect(answer.status).toBe(422);
  expect(typeof answer.json.detail).toBe('string');
});

test('a TTL is accepted in two forms and returned on request', async () => {
  const { thread_id } = await create({ ttl: 5 });
  expect(Object.keys((await api.get(`/threads/${thread_id}`)).json)).not.toContain('ttl');
  const read = async () => (await api.get(`/threads/${thread_id}?include=ttl`)).json.ttl;
  expect(await read()).toEqual({ strategy: 'delete', ttl_minutes: 5, expires_at: expect.any(String) });
  await api.patch(`/threads/${thread_id}`, { ttl: { ttl: 60, strategy: 'keep_latest' } });
  expect(await read()).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 });
  const { thread_id: other } = await create();
  expect((await api.get(`/threads/${other}?include=ttl`)).json.ttl).toBeNull();
});

test('initial state updates become the thread\u2019s state; if they fail, the thread is not kept', async () => {
  const update = (as_node: string) => ({
    thread_id: randomUUID(),
    metadata: { graph_id: 'echo' },
    supersteps: [{ updates: [{ values: { text: 'hello', echo: 'hello' }, as_node }] }],
  });
  const thread = await create(update('answer'));
  expect(thread.values).toMatchObject({ text: 'hello', echo: 'hello' });
  expect((await api.get(`/threads/${thread.thread_id}/state`)).json.values).toMatchObject({ text: 'hello' });

  const wrong = update('no such node');
  const refused = await api.post('/threads', wrong);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.status).toBeLessThan(500);
  expect(await status(api.get(`/threads/${wrong.thread_id}`))).toBe(404);
});

test('a missing thread is a 404, an invalid id a 422', async () => {
  const missing = `/threads/${randomUUID()}`;
  expect(await status(api.get(missing))).toBe(404);
  expect(await status(api.patch(missing, {}))).toBe(404);
  expect(await status(api.delete(missing))).toBe(404);
  expect(await status(api.get('/threads/x'))).toBe(422);
  expect(await status(api.patch('/threads/x', {}))).toBe(422);
  expect(await status(api.delete('/threads/x'))).toBe(422);
});

test('a patch merges metadata and changes only updated_at; it can return an empty body', async () => {
  const before = await create({ metadata: { a: 1 } });
  const path = `/threads/${before.thread_id}`;
  const { json: after } = await api.patch(path, { metadata: { b: 2, run_id: 'forged' } });
  expect(after).toEqual({ ...before, metadata: { a: 1, b: 2 }, updated_at: after.updated_at });
  expect(after.updated_at > before.updated_at).toBe(true);
  const minimal = await api.patch(path, { metadata: { c: 3 } }, { prefer: 'return=minimal' });
  expect({ status: minimal.status, text: minimal.text }).toEqual({ status: 204, text: '' });
  expect((await api.get(path)).json.metadata).toEqual({ a: 1, b: 2, c: 3 });
});

test('deleting a thread removes its runs and checkpoints', async () => {
  const { thread_id } = await create();
  const path = `/threads/${thread_id}`;
  const { json: run } = await api.post(`${path}/runs`, { assistant_id: 'echo', input: { text: 'hi' } });
  await api.get(`${path}/runs/${run.run_id}/join`);
  expect(await status(api.delete(path))).toBe(204);
  expect(await status(api.get(path))).toBe(404);
  expect(await status(api.get(`${path}/runs/${run.run_id}`))).toBe(404);
  await create({ thread_id, metadata: { graph_id: 'echo' } });
  expect((await api.post(`${path}/history`, { limit: 10 })).json).toEqual([]);
});

test('deleting a thread stops its runs and answers waiting callers', async () => {
  const { thread_id } = await create();
  const runs = `/threads/${thread_id}/runs`;
  const waiting = api.post(`${runs}/wait`, { assistant_id: 'sleepy', input: { ms: 60_000 } });
  while ((await api.get(`${runs}?status=running`)).json.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await api.post(runs, { assistant_id: 'sleepy', input: { ms: 60_000 } });
  expect(await status(api.delete(`/threads/${thread_id}`))).toBe(204);
  expect((await waiting).status).toBe(200);
  expect(await status(api.get(`/threads/${thread_id}`))).toBe(404);
});

test('search filters by metadata, values, status and ids', async () => {
  const group = randomUUID();
  const one = await create({ metadata: { group, tags: ['x', 'y'] } });
  const two = await create({ metadata: { group } });
  await api.post(`/threads/${two.thread_id}/runs/wait`, {
    assistant_id: 'approval',
    input: { topic: group },
  });
  const ids = async (body: object) => (await search(body)).map(({ thread_id }: any) => thread_id);
  expect(await ids({ metadata: { group } })).toEqual([two.thread_id, one.thread_id]);
  expect(await ids({ metadata: { group, tags: ['y'] } })).toEqual([one.thread_id]);
  expect(await ids({ values: { topic: group } })).toEqual([two.thread_id]);
  expect(await ids({ metadata: { group }, status: 'interrupted' })).toEqual([two.thread_id]);
  expect(await ids({ ids: [one.thread_id, randomUUID()] })).toEqual([one.thread_id]);
  expect((await api.post('/threads/count', { metadata: { group } })).text).toBe('2');
  expect((await api.post('/threads/count', { metadata: { group }, status: 'idle' })).text).toBe('1');
});

test('search sorts, paginates and selects fields', async () => {
  const group = randomUUID();
  const made: string[] = [];
  for (let i = 0; i < 3; i++) made.push((await create({ metadata: { group } })).thread_id);
  const page = {
    metadata: { group },
    limit: 2,
    select: ['thread_id'],
    sort_by: 'created_at',
    sort_order: 'asc',
  };
  const first = await api.post('/threads/search', page);
  expect(first.json).toEqual(made.slice(0, 2).map((thread_id) => ({ thread_id })));
  expect(first.headers.get('x-pagination-total')).toBe('3');
  expect(first.headers.get('x-pagination-next')).toBe('2');
  const last = await api.post('/threads/search', { ...page, offset: 2 });
  expect(last.json).toEqual([{ thread_id: made[2] }]);
  expect(last.headers.get('x-pagination-total')).toBe('3');
  expect(last.headers.get('x-pagination-next')).toBeNull();
});

test('search extracts parts of threads', async () => {
  const group = randomUUID();
  const { thread_id } = await create({ metadata: { group } });
  await api.post(`/threads/${thread_id}/runs/wait`, {
    assistant_id: 'echo',
    input: { messages: [{ type: 'human', content: 'hello', id: 'm1' }] },
  });
  const extract = {
    last: 'values.messages[-1].content',
    group: 'metadata.group',
    none: 'values.messages[9].id',
  };
  const threads = await search({ metadata: { group }, select: ['status'], extract });
  expect(threads).toEqual([{ status: 'idle', extracted: { last: 'echo: hello', group, none: null } }]);
});

test.each([
  { limit: 0 },
  { limit: 1_001 },
  { offset: -1 },
  { sort_by: 'nope' },
  { select: ['nope'] },
  { status: 'nope' },
  { ids: ['nope'] },
  { metadata: 'nope' },
  { extract: { status: 'values.a' } },
  { extract: { a: 'status' } },
  { extract: { 'not an identifier': 'values.a' } },
  { extract: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`a${i}`, 'values'])) },
])('searching with %j answers 422', async (body) => {
  expect(await status(api.post('/threads/search', body))).toBe(422);
});

test('threads of threadless runs are not listed', async () => {
  const metadata = { group: randomUUID() };
  await api.post('/runs/wait', {
    assistant_id: 'echo',
    input: { text: 'hi' },
    metadata,
    on_completion: 'keep',
  });
  const { json: run } = await api.post('/runs', {
    assistant_id: 'echo',
    input: { text: 'hi' },
    metadata,
    on_completion: 'keep',
  });
  expect(await search({ ids: [run.thread_id] })).toEqual([]);
  expect((await api.post('/threads/count', { metadata })).json).toBe(0);
  expect(await status(api.get(`/threads/${run.thread_id}`))).toBe(200);
});

test('history returns only the latest checkpoint by default', async () => {
  const { thread_id } = (await api.post('/threads')).json;
  await api.post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'steps', input: { steps: 3 } });
  const [state] = (await api.post(`/threads/${thread_id}/history`, { limit: 1 })).json;
  expect((await api.post(`/threads/${thread_id}/history`, {})).json).toEqual([state]);
  expect((await api.get(`/threads/${thread_id}/history`)).json).toEqual([state]);
  expect((await api.get(`/threads/${thread_id}/history?limit=3`)).json).toHaveLength(3);
  expect((await api.get(`/threads/${thread_id}/history?limit=many`)).status).toBe(422);
});

test('count returns a bare number', async () => {
  await api.post('/threads', { metadata: { counted: 'here' } });
  expect((await api.post('/threads/count', { metadata: { counted: 'here' } })).text).toBe('1');
});

test('prune skips missing threads and refuses unknown strategies', async () => {
  const made = [];
  for (let i = 0; i < 2; i++) made.push((await api.post('/threads')).json.thread_id);
  const ids = [...made, made[0], crypto.randomUUID()];
  const prune = (body: object) => api.post('/threads/prune', body);
  expect((await prune({ thread_ids: ids, strategy: 'keep_latest' })).json).toEqual({ pruned_count: 2 });
  expect((await prune({ thread_ids: ids })).json).toEqual({ pruned_count: 2 });
  expect((await prune({ thread_ids: ids })).json).toEqual({ pruned_count: 0 });
  expect((await prune({ thread_ids: [] })).json).toEqual({ pruned_count: 0 });
  expect((await prune({ thread_ids: ids, strategy: 'keep_first' })).status).toBe(422);
  expect((await prune({ strategy: 'delete' })).status).toBe(422);
  expect((await prune({ thread_ids: ['x'] })).status).toBe(422);
});

test('finds and counts threads by when their state last changed', async () => {
  const metadata = { era: randomUUID() };
  const [before, after] = [await create({ metadata }), await create({ metadata })];
  const at = after.state_updated_at;
  const found = async (state_updated_at: object) =>
    (await search({ metadata, state_updated_at })).map(({ thread_id }: any) => thread_id);
  expect(await found({ $lt: at })).toEqual([before.thread_id]);
  expect(await found({ $gte: at })).toEqual([after.thread_id]);
  expect(await found({ $gt: before.state_updated_at, $lte: at })).toEqual([after.thread_id]);
  expect((await api.post('/threads/count', { metadata, state_updated_at: { $lte: at } })).json).toBe(2);
  for (const wrong of [{ $after: at }, { $gt: 'yesterday' }, {}])
    expect((await api.post('/threads/search', { state_updated_at: wrong })).status).toBe(422);
});
