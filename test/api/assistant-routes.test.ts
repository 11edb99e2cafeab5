import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const ECHO = { graph_id: 'echo' };

async function create(fields: object = {}) {
  const { status, json } = await api.post('/assistants', { ...ECHO, ...fields });
  expect(status).toBe(200);
  return json;
}

const status = async (answer: Promise<{ status: number }>) => (await answer).status;

test('every graph has a system assistant, whose id depends only on the name', async () => {
  const { json } = await api.get('/assistants/echo');
  expect(json).toEqual({
    assistant_id: '046b5dc7-2108-582c-9c6c-31d556d138f0',
    graph_id: 'echo',
    config: {},
    context: {},
    metadata: { created_by: 'system' },
    name: 'echo',
    description: 'Answers with what it is given',
    version: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await api.get(`/assistants/${json.assistant_id}`)).json).toEqual(json);
});

test('creating an assistant fills in empty defaults and drops server keys', async () => {
  const assistant = await create({
    metadata: { team: 'a', run_id: 'forged' },
    context: { model: 'x', __own: 1 },
  });
  expect(assistant).toMatchObject({
    ...ECHO,
    name: 'Untitled',
    description: null,
    version: 1,
    metadata: { team: 'a' },
    config: { configurable: { model: 'x' } },
    context: { model: 'x' },
  });
  expect(await create({ config: null, metadata: null, name: null })).toMatchObject({
    config: {},
    context: {},
    metadata: {},
  });
});

test('an existing id returns 409, or the existing assistant', async () => {
  const taken = await create({ name: 'mine' });
  const again = { ...ECHO, assistant_id: taken.assistant_id };
  expect(await status(api.post('/assistants', again))).toBe(409);
  expect((await api.post('/assistants', { ...again, if_exists: 'do_nothing' })).json).toEqual(taken);
});

test('an invalid create explains why', async () => {
  const unknown = await api.post('/assistants', { graph_id: 'nope' });
  expect(unknown.status).toBe(404);
  expect(unknown.json.detail).toMatch(/^Graph 'nope' not found\. Expected one of: .*echo/);
  const both = { ...ECHO, config: { configurable: { a: 1 } }, context: { b: 1 } };
  expect(await status(api.post('/assistants', both))).toBe(422);
  for (const body of [
    {},
    { graph_id: 1 },
    { ...ECHO, assistant_id: 'x' },
    { ...ECHO, metadata: [] },
    { ...ECHO, config: { tags: 'x' } },
  ]) {
    const { status, json } = await api.post('/assistants', body);
    expect({ body, status, detail: typeof json.detail }).toEqual({ body, status: 422, detail: 'string' });
  }
});

test('every patch creates a version, even an empty one; metadata is merged', async () => {
  const { assistant_id } = await create({ metadata: { a: 1 }, config: { tags: ['t'] }, context: { m: 1 } });
  const path = `/assistants/${assistant_id}`;
  expect((await api.patch(path, {})).json).toMatchObject({
    version: 2,
    metadata: { a: 1 },
    context: { m: 1 },
  });
  const { json } = await api.patch(path, {
    metadata: { b: 2 },
    context: { m: 2 },
    name: 'new',
    graph_id: 'typed',
  });
  expect(json).toMatchObject({
    version: 3,
    graph_id: 'typed',
    name: 'new',
    metadata: { a: 1, b: 2 },
    config: { tags: ['t'], configurable: { m: 2 } },
    context: { m: 2 },
  });
  expect((await api.get(path)).json).toEqual(json);
  expect(await status(api.patch(path, { graph_id: 'nope' }))).toBe(404);
  expect(await status(api.patch(`/assistants/${randomUUID()}`, {}))).toBe(404);
});

test('restores an older version and continues its numbering', async () => {
  const { assistant_id } = await create({ name: 'first' });
  const path = `/assistants/${assistant_id}`;
  await api.patch(path, { name: 'second' });
  const { json: versions } = await api.post(`${path}/versions`, {});
  expect(versions.map((version: any) => [version.version, version.name])).toEqual([
    [2, 'second'],
    [1, 'first'],
  ]);
  expect((await api.post(`${path}/latest`, { version: 1 })).json).toMatchObject({
    version: 1,
    name: 'first',
  });
  expect((await api.post(`${path}/versions`, {})).json).toHaveLength(2);
  expect((await api.patch(path, {})).json).toMatchObject({ version: 3, name: 'first' });
  expect(await status(api.post(`${path}/latest`, { version: 9 }))).toBe(404);
  expect(await status(api.post(`${path}/latest`, {}))).toBe(422);
  expect(await status(api.post(`/assistants/${randomUUID()}/versions`, {}))).toBe(404);
});

test('search returns pages, count a bare number', async () => {
  const team = randomUUID();
  for (const name of ['Ada', 'Bob', 'adam']) await create({ name, metadata: { team } });
  const first = await api.post('/assistants/search', {
    metadata: { team },
    limit: 2,
    sort_by: 'name',
    sort_order: 'asc',
  });
  expect(first.json.map(({ name }: any) => name)).toEqual(['Ada', 'Bob']);
  expect(first.headers.get('x-pagination-next')).toBe('2');
  expect(first.headers.get('x-pagination-total')).toBe('3');
  const last = await api.post('/assistants/search', {
    metadata: { team },
    limit: 2,
    offset: 2,
    select: ['version'],
  });
  expect(last.json).toEqual([{ version: 1 }]);
  expect(last.headers.get('x-pagination-next')).toBeNull();
  expect(last.headers.get('x-pagination-total')).toBe('3');
  expect((await api.post('/assistants/count', { metadata: { team }, name: 'ADA' })).text).toBe('2');
  expect((await api.post('/assistants/search', { graph_id: 'echo', limit: 1 })).json[0].graph_id).toBe(
    'echo',
  );
});

test.each([
  { limit: 0 },
  { limit: 1_001 },
  { offset: -1 },
  { sort_by: 'nope' },
  { sort_order: 'up' },
  { select: ['nope'] },
  { metadata: 1 },
])('a search with %j answers 422', async (body) => {
  expect(await status(api.post('/assistants/search', body))).toBe(422);
});

test('searching for an unknown graph returns 404', async () => {
  expect(await status(api.post('/assistants/search', { graph_id: 'nope' }))).toBe(404);
});

test('deleting an assistant removes its versions, and its threads only on request', async () => {
  const { assistant_id } = await create();
  const { json: thread } = await api.post('/threads', {});
  await api.post(`/threads/${thread.thread_id}/runs/wait`, { assistant_id, input: { text: 'hi' } });
  expect(await status(api.delete(`/assistants/${assistant_id}`))).toBe(204);
  expect(await status(api.get(`/assistants/${assistant_id}`))).toBe(404);
  expect(await status(api.delete(`/assistants/${assistant_id}`))).toBe(404);
  expect(await status(api.get(`/threads/${thread.thread_id}`))).toBe(200);

  const { assistant_id: other } = await create();
  await api.post(`/threads/${thread.thread_id}/runs/wait`, { assistant_id: other, input: { text: 'hi' } });
  expect(await status(api.delete(`/assistants/${other}?delete_threads=true`))).toBe(204);
  expect(await status(api.get(`/threads/${thread.thread_id}`))).toBe(404);
});

test('deleting an assistant stops its runs', async () => {
  const { assistant_id } = await create({ graph_id: 'sleepy' });
  const { json: thread } = await api.post('/threads', {});
  const runs = `/threads/${thread.thread_id}/runs`;
  const { json: run } = await api.post(runs, { assistant_id, input: { ms: 60_000 } });
  await api.post(runs, { assistant_id, input: { ms: 60_000 } });
  expect(await status(api.delete(`/assistants/${assistant_id}`))).toBe(204);
  expect((await api.get(`${runs}/${run.run_id}`)).json.status).toBe('interrupted');
  const { json: left } = await api.get(runs);
  expect(left.map((one: any) => one.status)).toEqual(['interrupted', 'interrupted']);
  expect((await api.get(`/threads/${thread.thread_id}`)).json.status).not.toBe('busy');
});

test('draws the graph, with subgraphs expanded on request', async () => {
  const { json } = await api.get('/assistants/parent/graph');
  const ids = json.nodes.map(({ id }: any) => id);
  expect(ids).toEqual(expect.arrayContaining(['__start__', 'before', 'child', 'after', '__end__']));
  expect(json.edges).toContainEqual({ source: 'before', target: 'child' });
  for (const xray of ['true', 'True', '1']) {
    const open = await api.get(`/assistants/parent/graph?xray=${xray}`);
    expect(open.json.nodes.map(({ id }: any) => id)).toContain('child:question');
  }
  expect((await api.get('/assistants/parent/graph?xray=false')).json).toEqual(json);
  expect(await status(api.get('/assistants/parent/graph?xray=maybe'))).toBe(422);
  expect(await status(api.get('/assistants/parent/graph?xray=-1'))).toBe(422);
});

test("draws a factory's graph as configured by the assistant", async () => {
  const { assistant_id } = await create({ graph_id: 'factory', context: { flavour: 'vanilla' } });
  const { json } = await api.get(`/assistants/${assistant_id}/graph`);
  expect(json.nodes.map(({ id }: any) => id)).toContain('vanilla');
});

test('returns schemas of the graph and of its subgraphs', async () => {
  const { json } = await api.get('/assistants/typed/schemas');
  expect(json.graph_id).toBe('typed');
  expect(Object.keys(json).sort()).toEqual(
    ['graph_id', 'input_schema', 'output_schema', 'state_schema', 'config_schema', 'context_schema'].sort(),
  );
  expect(Object.keys(json.input_schema.properties)).toEqual(['city', 'days']);
  expect((await api.get('/assistants/echo/subgraphs')).json).toEqual({});
  expect(Object.keys((await api.get('/assistants/parent/subgraphs')).json)).toEqual(['child']);
  const deep = await api.get('/assistants/parent/subgraphs?recurse=true');
  expect(Object.keys(deep.json)).toEqual(expect.arrayContaining(['child', 'child|grandchild']));
  const one = await api.get(`/assistants/parent/subgraphs/${encodeURIComponent('child|grandchild')}`);
  expect(Object.keys(one.json)).toEqual(['child|grandchild']);
});

test('schemas of an annotated graph have the types of its source', async () => {
  const { json } = await api.get('/assistants/channels/schemas');
  const state = { type: 'object', properties: { count: { type: 'number', description: 'Events written.' } } };
  const context = { type: 'object', properties: { pace: { type: 'string', enum: ['slow', 'fast'] } } };
  expect(json).toEqual({
    graph_id: 'channels',
    input_schema: state,
    output_schema: state,
    state_schema: state,
    config_schema: context,
    context_schema: context,
  });
});

test('a graph without a context schema accepts any context', async () => {
  const { json } = await api.get('/assistants/echo/schemas');
  expect([json.config_schema, json.context_schema]).toEqual([{ type: 'object' }, { type: 'object' }]);
});

test.each(['', '/graph', '/schemas', '/subgraphs', '/subgraphs/x'])(
  'GET …%s of an unknown assistant answers 404',
  async (path) => {
    expect(await status(api.get(`/assistants/${randomUUID()}${path}`))).toBe(404);
    expect(await status(api.get(`/assistants/no-such-graph${path}`))).toBe(404);
  },
);

test('a system assistant stays with its graph, and is recreated after a delete', async () => {
  const { json: before } = await api.get('/assistants/typed');
  const repointed = await api.patch('/assistants/typed', { graph_id: 'echo' });
  expect([repointed.status, repointed.json]).toEqual([422, { detail: expect.stringContaining("'typed'") }]);
  const changed = await api.patch('/assistants/typed', { graph_id: 'typed', context: { tone: 'dry' } });
  expect(changed.json).toMatchObject({ version: 2, graph_id: 'typed', context: { tone: 'dry' } });
  expect((await api.delete('/assistants/typed')).status).toBe(204);
  const { json: after } = await api.get('/assistants/typed');
  expect(after).toEqual({
    ...before,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(after.created_at > before.created_at).toBe(true);
  expect((await api.post('/assistants/typed/versions', {})).json).toHaveLength(1);
});
