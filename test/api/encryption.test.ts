import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { startAgentServer } from '../support/agent-server.ts';
import { useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';

const config = fileURLToPath(new URL('test/fixtures/graphs/encrypted.json', packageRoot));
const api = useApi({ config });
const receiver = useReceiver();
let db: Database;
beforeAll(() => {
  db = openDatabase({ url: api.databaseUrl, poolSize: 2 });
});
afterAll(() => db.end());

/** Tables that contain the text, in any column and any JSON escaping. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const base64 = Buffer.from(text).toString('base64').slice(2, -4);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await db.query(
      `select from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0 limit 1`,
      [text, base64],
    );
    if (hits.length > 0) found.push(name);
  }
  return found;
}

const secret = `TOP-SECRET-${randomUUID()}`;

test('secrets are readable in responses, but nowhere in Postgres', async () => {
  const metadata = { secret, open: 'find me', deep: { secret, list: [{ secret, n: 1 }] } };
  const assistant = (
    await api.post('/assistants', {
      graph_id: 'secretive',
      metadata,
      context: { secret_key: secret, plain: 1 },
    })
  ).json;
  expect(assistant).toMatchObject({ metadata, context: { secret_key: secret, plain: 1 } });
  const { thread_id } = (await api.post('/threads', { metadata })).json;
  await api.patch(`/threads/${thread_id}`, { metadata: { secret_more: { of: secret } } });
  const body = {
    assistant_id: assistant.assistant_id,
    input: { secret, open: 'told' },
    metadata: { secret_run: secret },
    stream_mode: ['values', 'updates', 'custom', 'tasks', 'checkpoints'],
    stream_resumable: true,
  };
  const stream = await api.post(`/threads/${thread_id}/runs/stream`, body);
  expect(stream.text).toContain(secret);
  const run = (await api.get(`/threads/${thread_id}/runs`)).json[0];
  expect(run.kwargs.input).toEqual(body.input);
  expect(run.metadata).toMatchObject({ secret_run: secret, secret });
  const joined = await api.get(`/threads/${thread_id}/runs/${run.run_id}/stream`, { 'last-event-id': '-1' });
  expect(joined.text.match(/^event:/gm)!.length).toBe(stream.text.match(/^event:/gm)!.length);
  const values = {
    secret,
    open: 'told',
    secret_seen: secret,
    nested: { list: [{ secret, open: 'told', answer: 'nothing' }] },
  };
  const thread = (await api.get(`/threads/${thread_id}`)).json;
  expect(thread.metadata).toMatchObject({ ...metadata, secret_more: { of: secret } });
  expect(thread.values).toEqual(values);
  expect((await api.get(`/threads/${thread_id}/state`)).json).toMatchObject({
    values,
    metadata: { secret_run: secret },
  });
  const history = (await api.post(`/threads/${thread_id}/history`, { limit: 10 })).json;
  expect(history.length).toBeGreaterThan(1);
  expect(history[0].values).toEqual(values);
  expect((await api.get('/store/items?namespace=told&key=told')).json.value).toEqual({
    secret,
    open: 'told',
  });
  await api.put('/store/items', {
    namespace: ['mine'],
    key: 'k',
    value: { secret, open: 1, list: [{ secret }] },
  });
  await api.post(`/threads/${thread_id}/state`, { values: { secret: `${secret}!` }, as_node: 'tell' });
  expect((await api.get(`/threads/${thread_id}/state`)).json.values.secret).toBe(`${secret}!`);
  const copy = (await api.post(`/threads/${thread_id}/copy`)).json;
  expect(copy.values.secret).toBe(`${secret}!`);
  expect(await tablesWith(secret)).toEqual([]);
  expect(await tablesWith('find me')).toEqual(expect.arrayContaining(['assistant', 'thread']));
});

test('plain values can be searched for, encrypted ones cannot', async () => {
  const open = randomUUID();
  const metadata = { open, secret };
  const { thread_id } = (await api.post('/threads', { metadata })).json;
  const found = async (filter: object) =>
    (await api.post('/threads/search', filter)).json.map((thread: { thread_id: string }) => thread.thread_id);
  expect(await found({ metadata: { open } })).toEqual([thread_id]);
  expect(await found({ metadata: { open, secret } })).toEqual([]);
  const input = { secret, open };
  await api.post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'secretive', input });
  expect(await found({ values: { open } })).toEqual([thread_id]);
  const extract = { open: 'values.open', hidden: 'values.secret', deep: 'values.nested.list[0]' };
  const [{ extracted }] = (await api.post('/threads/search', { metadata: { open }, extract })).json;
  expect(extracted).toEqual({ open, hidden: secret, deep: { secret, open, answer: 'nothing' } });
  const items = (await api.post('/store/items/search', { namespace_prefix: ['told'], filter: { open } })).json
    .items;
  expect(items.map(({ value }: { value: unknown }) => value)).toEqual([input]);
  const none = await api.post('/store/items/search', { namespace_prefix: ['told'], filter: { secret } });
  expect(none.json.items).toEqual([]);
});

test('webhooks and crons are stored encrypted and sent in plain text', async () => {
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  const path = `/${randomUUID()}`;
  const { thread_id } = (await api.post('/threads', { metadata: { secret } })).json;
  await api.post(`/threads/${thread_id}/runs/wait`, {
    assistant_id: 'secretive',
    input: { secret, open: 'told' },
    webhook: receiver.url + path,
  });
  const [sent] = await receiver.wait((one) => one.path === path);
  expect(sent!.json).toMatchObject({
    kwargs: { input: { secret } },
    values: { secret, open: 'told' },
  });
  const cron = await api.post('/runs/crons', {
    assistant_id: 'secretive',
    schedule: '0 9 1 1 *',
    input: { secret },
    metadata: { secret },
  });
  expect(cron.json).toMatchObject({ metadata: { secret }, payload: { input: { secret } } });
  expect((await api.get(`/runs/crons/${cron.json.cron_id}`)).json.payload.input).toEqual({ secret });
  expect(await tablesWith(secret)).toEqual([]);
});

test('an interrupt and its answer are encrypted', async () => {
  const { thread_id } = (await api.post('/threads')).json;
  const send = (body: object) =>
    api.post(`/threads/${thread_id}/runs/wait`, { assistant_id: 'secretive', ...body });
  const asked = await send({ input: { secret, open: 'ask' } });
  expect(asked.json.__interrupt__[0].value).toEqual({ secret });
  const { interrupts } = (await api.get(`/threads/${thread_id}`)).json;
  expect(Object.values(interrupts).flat()).toMatchObject([{ value: { secret } }]);
  const answered = await send({ command: { resume: { secret_answer: secret } } });
  expect(answered.json.nested.list[0].answer).toEqual({ secret_answer: secret });
  expect(await tablesWith(secret)).toEqual([]);
});

test('values that merely look encrypted are kept unchanged', async () => {
  const metadata = {
    a: { $sealed: { key: 'a', value: 'x', model: 'm', field: 'f' } },
    $sealed: { entries: 5 },
  };
  const { thread_id } = (await api.post('/threads', { metadata })).json;
  expect((await api.get(`/threads/${thread_id}`)).json.metadata).toEqual(metadata);
});

test("a request's encryption context applies to everything it stores, including its run", async () => {
  const header = {
    'x-encryption-context': Buffer.from(JSON.stringify({ tenant: 'acme' })).toString('base64'),
  };
  const { thread_id } = (await api.post('/threads', { metadata: { secret } }, header)).json;
  expect((await api.get(`/threads/${thread_id}`)).json.metadata.secret).toBe(secret);
  const body = { assistant_id: 'secretive', input: { secret, open: 'acme' } };
  const { json } = await api.post(`/threads/${thread_id}/runs/wait`, body, header);
  expect(json.secret).toBe(secret);
  const { rows } = await db.query<{ values: unknown; body: string }>(
    `select "values", (select body from checkpoint c where c.thread_id = t.thread_id limit 1) as body
     from thread t where thread_id = $1`,
    [thread_id],
  );
  expect(rows[0]!.values).toMatchObject({ secret: { $sealed: { context: { tenant: 'acme' } } } });
  const head = Buffer.from(rows[0]!.body.split(':')[1]!, 'base64url').toString();
  expect(JSON.parse(head)).toEqual({ model: 'checkpoint', field: 'body', metadata: { tenant: 'acme' } });
  const bad = await api.post('/threads', {}, { 'x-encryption-context': 'not JSON' });
  expect(bad.status).toBe(400);
});

test('after a key rotation, old data is read with the old key and new data uses the new one', async () => {
  const { thread_id } = (await api.post('/threads', { metadata: { secret } })).json;
  const next = await startAgentServer({
    databaseUrl: api.databaseUrl,
    config,
    env: { TEST_KEY_GENERATION: 'b' },
  });
  const read = async () => ((await (await fetch(`${next.url}/threads/${thread_id}`)).json()) as any).metadata;
  expect(await read()).toEqual({ secret });
  await fetch(`${next.url}/threads/${thread_id}`, {
    method: 'PATCH',
    body: JSON.stringify({ metadata: { secret_new: 'x' } }),
  });
  expect(await read()).toEqual({ secret, secret_new: 'x' });
  const { rows } = await db.query<{ metadata: Record<string, { $sealed: { value: string } }> }>(
    'select metadata from thread where thread_id = $1',
    [thread_id],
  );
  const generation = (key: string) =>
    Buffer.from(rows[0]!.metadata[key]!.$sealed.value, 'base64').toString()[0];
  expect([generation('secret'), generation('secret_new')]).toEqual(['a', 'b']);
  await next.end('SIGKILL');
});
