import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { parseExtract } from '../../src/agent-server/records/extract-path.ts';
import type { ThreadSearch } from '../../src/agent-server/records/thread.ts';
import {
  countThreads,
  deleteThreads,
  findThread,
  insertThread,
  listThreadsOfAssistant,
  type NewThread,
  searchThreads,
  threadExists,
  updateThread,
} from '../../src/agent-server/records/thread-repository.ts';
import { inTransaction } from '../../src/platform/db/database.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

beforeEach(() => database.db.query('truncate thread cascade'));

const make = async (fields: Partial<NewThread> = {}) =>
  (await insertThread(database.db, { thread_id: randomUUID(), metadata: {}, ...fields }))!;

const search = (fields: Partial<ThreadSearch> = {}) =>
  searchThreads(
    database.db,
    { limit: 10, offset: 0, sort_by: 'updated_at', sort_order: 'desc', ...fields },
    parseExtract(fields.extract ?? {}),
  );

/** The thread after a run. */
const setState = (id: string, values: object, fields: { status?: string; interrupts?: object } = {}) =>
  database.db.query(`update thread set "values" = $2, status = $3, interrupts = $4 where thread_id = $1`, [
    id,
    JSON.stringify(values),
    fields.status ?? 'idle',
    JSON.stringify(fields.interrupts ?? {}),
  ]);

test('a new thread is idle and empty', async () => {
  const thread = await make({ metadata: { owner: 'ada' } });
  expect(thread).toEqual({
    thread_id: thread.thread_id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
    updated_at: thread.created_at,
    state_updated_at: thread.created_at,
    metadata: { owner: 'ada' },
    status: 'idle',
    config: {},
    values: null,
    interrupts: {},
    error: null,
  });
  expect(await findThread(database.db, thread.thread_id)).toEqual(thread);
});

test('one of parallel callers with the same id creates the thread', async () => {
  const thread_id = randomUUID();
  const made = await Promise.all(
    [1, 2, 3, 4].map(() => insertThread(database.db, { thread_id, metadata: {} })),
  );
  expect(made.filter(Boolean)).toHaveLength(1);
});

test('a change merges metadata and changes only updated_at', async () => {
  const before = await make({ metadata: { a: 1, deep: { b: 1 } } });
  const after = await updateThread(database.db, before.thread_id, { metadata: { deep: { c: 1 } } });
  expect(after).toMatchObject({
    metadata: { a: 1, deep: { c: 1 } },
    created_at: before.created_at,
    state_updated_at: before.state_updated_at,
  });
  expect(after!.updated_at > before.updated_at).toBe(true);
  expect(await updateThread(database.db, randomUUID(), {})).toBeUndefined();
});

test('a TTL is returned on request, and counts from when it was set', async () => {
  const { thread_id, created_at } = await make({ ttl: { strategy: 'delete', minutes: 1.5 } });
  expect(await findThread(database.db, thread_id)).not.toHaveProperty('ttl');
  const { ttl } = (await findThread(database.db, thread_id, { ttl: true }))!;
  expect(ttl).toMatchObject({ strategy: 'delete', ttl_minutes: 1.5 });
  expect(Date.parse(ttl!.expires_at) - Date.parse(created_at)).toBe(90_000);

  await updateThread(database.db, thread_id, { ttl: { strategy: 'keep_latest', minutes: 60 } });
  const { ttl: changed } = (await findThread(database.db, thread_id, { ttl: true }))!;
  expect(changed).toMatchObject({ strategy: 'keep_latest', ttl_minutes: 60 });
  expect(changed!.expires_at > ttl!.expires_at).toBe(true);
  expect((await findThread(database.db, (await make()).thread_id, { ttl: true }))!.ttl).toBeNull();
});

test("a threadless run's thread is never listed, and not found once it is due for removal", async () => {
  const { thread_id } = await make({ hidden: true });
  expect(await search()).toEqual([]);
  expect(await search({ ids: [thread_id] })).toEqual([]);
  expect(await countThreads(database.db, {})).toBe(0);
  expect(await threadExists(database.db, thread_id)).toBe(true);
  await database.db.query(`update thread set expires_at = now() + interval '1 minute'`);
  expect(await findThread(database.db, thread_id)).toBeUndefined();
  expect(await threadExists(database.db, thread_id)).toBe(false);
  expect(await updateThread(database.db, thread_id, {})).toBeUndefined();
});

test('search filters by ids, metadata, values and status', async () => {
  const ada = await make({ metadata: { owner: 'ada', tags: ['x', 'y'], n: 1 } });
  const bob = await make({ metadata: { owner: 'bob', n: '1' } });
  await setState(ada.thread_id, { messages: [{ type: 'human', content: 'hi' }] }, { status: 'interrupted' });
  const found = async (fields: Partial<ThreadSearch>) =>
    (await search(fields)).map(({ thread_id }) => thread_id);
  expect(await found({})).toHaveLength(2);
  expect(await found({ ids: [bob.thread_id, randomUUID()] })).toEqual([bob.thread_id]);
  expect(await found({ ids: [] })).toEqual([]);
  expect(await found({ metadata: { n: 1 } })).toEqual([ada.thread_id]);
  expect(await found({ metadata: { tags: ['y'] } })).toEqual([ada.thread_id]);
  expect(await found({ metadata: { owner: 'ada', n: '1' } })).toEqual([]);
  expect(await found({ values: { messages: [{ content: 'hi' }] } })).toEqual([ada.thread_id]);
  expect(await found({ status: 'idle' })).toEqual([bob.thread_id]);
  expect(await countThreads(database.db, { status: 'interrupted', metadata: { owner: 'ada' } })).toBe(1);
});

test('search sorts by any field, with stable pages for equal values', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push((await make()).thread_id);
  expect((await search()).map(({ thread_id }) => thread_id)).toEqual(ids.toReversed());
  expect(
    (await search({ sort_by: 'created_at', sort_order: 'asc' })).map((thread) => thread.thread_id),
  ).toEqual(ids);
  const paged: unknown[] = [];
  for (let offset = 0; offset < 5; offset++) {
    const page = await search({ sort_by: 'status', limit: 1, offset });
    expect(page).toHaveLength(offset < 4 ? 2 : 1);
    paged.push(page[0]!.thread_id);
  }
  expect(new Set(paged).size).toBe(5);
});

test('search returns the requested fields and extracts', async () => {
  const { thread_id } = await make({ metadata: { owner: 'ada' } });
  await setState(
    thread_id,
    { messages: [{ content: 'a' }, { content: 'b' }], zero: 0 },
    { interrupts: { t: [{ value: 1 }] } },
  );
  const extract = {
    last: 'values.messages[-1].content',
    first: 'values.messages[0]',
    zero: 'values.zero',
    none: 'values.messages[7].content',
    open: 'interrupts.t[0].value',
    owner: 'metadata.owner',
  };
  expect(await search({ select: ['thread_id', 'context', 'thread_id'], extract })).toEqual([
    {
      thread_id,
      context: {},
      extracted: { last: 'b', first: { content: 'a' }, zero: 0, none: null, open: 1, owner: 'ada' },
    },
  ]);
});

test('removing threads removes their runs and events and notifies readers', async () => {
  const { thread_id } = await make({ metadata: {} });
  const assistant_id = randomUUID();
  const run_id = randomUUID();
  await database.db.query(`update thread set metadata = $1`, [JSON.stringify({ assistant_id })]);
  await database.db.query(
    `insert into run (run_id, thread_id, assistant_id, graph_id, kwargs, multitask_strategy)
     values ($1, $2, $3, 'agent', '{}', 'enqueue')`,
    [run_id, thread_id, assistant_id],
  );
  await database.db.query(`insert into run_event values ($1, 1, 0, $2, 'values', '{}')`, [thread_id, run_id]);
  expect(await listThreadsOfAssistant(database.db, assistant_id)).toEqual([thread_id]);

  const reader = await database.db.connect();
  const heard: string[] = [];
  reader.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await reader.query(`listen "thread:${thread_id}"`);
  expect(await inTransaction(database.db, (tx) => deleteThreads(tx, [thread_id, randomUUID()]))).toEqual([
    thread_id,
  ]);
  await reader.query('select');
  reader.release(true);
  expect(new Set(heard)).toEqual(new Set([`g${run_id}`, `g${thread_id}`]));
  const { rows } = await database.db.query(
    'select (select count(*) from run) as runs, (select count(*) from run_event) as events',
  );
  expect(rows).toEqual([{ runs: 0, events: 0 }]);
});
