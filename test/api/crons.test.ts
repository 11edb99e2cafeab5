import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();
const YEARLY = '0 9 1 1 *';
const UUID = /^[0-9a-f-]{36}$/;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

/** A cron that does not fire during the test. */
const create = async (body: object = {}) => {
  const { status, json } = await api.post('/runs/crons', {
    assistant_id: 'echo',
    schedule: YEARLY,
    ...body,
  });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json;
};

describe('create', () => {
  test('returns the whole record', async () => {
    const input = { text: 'hi' };
    const cron = await create({
      input,
      metadata: { team: 'a', cron_id: 'mine' },
      webhook: 'https://a.example/x',
    });
    const { cron_id, assistant_id } = cron;
    expect(cron).toEqual({
      cron_id: expect.stringMatching(UUID),
      assistant_id: expect.stringMatching(UUID),
      thread_id: null,
      user_id: '',
      schedule: YEARLY,
      timezone: null,
      end_time: null,
      payload: {
        assistant_id: 'echo',
        input,
        metadata: { team: 'a' },
        webhook: 'https://a.example/x',
        config: { configurable: { cron_id } },
      },
      webhook: 'https://a.example/x',
      next_run_date: expect.stringMatching(/^\d{4}-01-01T09:00:00\.000000\+00:00$/),
      metadata: { team: 'a' },
      on_run_completed: 'delete',
      enabled: true,
      is_enabled: true,
      created_at: expect.stringMatching(STAMP),
      updated_at: expect.stringMatching(STAMP),
    });
    expect((await api.get(`/runs/crons/${cron_id}`)).json).toEqual(cron);
    expect((await api.get(`/crons/${cron_id}`)).json).toEqual(cron);
    expect((await api.get(`/assistants/${assistant_id}`)).json.graph_id).toBe('echo');
  });
});

test.each([
  ['an unknown assistant', { assistant_id: randomUUID() }, 404],
  ['no assistant', { assistant_id: undefined }, 422],
  ['a graph nobody has', { assistant_id: 'nobody' }, 422],
  ['no schedule', { schedule: undefined }, 422],
  ['a schedule of words', { schedule: 'every day' }, 422],
  ['a schedule of six fields', { schedule: '0 0 9 * * *' }, 422],
  ['a zone nobody keeps', { timezone: 'Mars/Olympus' }, 422],
  ['an end that is no date', { end_time: 'soon' }, 422],
  ['configurable and context', { config: { configurable: { a: 1 } }, context: { b: 2 } }, 422],
  ['a strategy nobody knows', { multitask_strategy: 'hope' }, 422],
  ['a mode nobody knows', { stream_mode: ['smells'] }, 422],
  ['something else for its end', { on_run_completed: 'archive' }, 422],
])('a cron with %s is refused', async (_what, body, expected) => {
  const { status, json } = await api.post('/runs/crons', { assistant_id: 'echo', schedule: YEARLY, ...body });
  expect({ status, json }).toEqual({ status: expected, json: { detail: expect.any(String) } });
});

test('a thread cron requires an existing thread', async () => {
  const { json: thread } = await api.post('/threads', {});
  const body = { assistant_id: 'echo', schedule: YEARLY, on_run_completed: 'keep' };
  const { status, json } = await api.post(`/threads/${thread.thread_id}/runs/crons`, body);
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { thread_id: thread.thread_id, on_run_completed: null },
  });
  expect((await api.post(`/threads/${randomUUID()}/runs/crons`, body)).status).toBe(404);
  expect((await api.post('/threads/no-id/runs/crons', body)).status).toBe(422);
});

test('time zone, end and is_enabled are accepted in both forms', async () => {
  const berlin = await create({
    timezone: 'Europe/Berlin',
    end_time: '2099-01-01T00:00:00',
    is_enabled: false,
  });
  expect(berlin).toMatchObject({
    timezone: 'Europe/Berlin',
    next_run_date: expect.stringMatching(/-01-01T08:00:00/),
    end_time: '2099-01-01T00:00:00.000000+00:00',
    enabled: false,
    is_enabled: false,
  });
  expect(await create({ enabled: false })).toMatchObject({ enabled: false, is_enabled: false });
  expect(await create({ end_time: '2001-01-01' })).toMatchObject({ next_run_date: null, enabled: true });
  expect(await create({ timezone: null, end_time: null })).toMatchObject({ timezone: null, end_time: null });
});

describe('patch', () => {
  test('merges metadata and replaces payload fields, under both paths', async () => {
    const { cron_id, created_at, updated_at } = await create({
      input: { text: 'old' },
      metadata: { a: 1, b: 1 },
      config: { tags: ['old'], configurable: { x: 1 } },
    });
    const first = await api.patch(`/crons/${cron_id}`, { metadata: { b: 2 }, input: { text: 'new' } });
    expect(first).toMatchObject({
      status: 200,
      json: {
        metadata: { a: 1, b: 2 },
        payload: {
          input: { text: 'new' },
          metadata: { a: 1, b: 2 },
          config: { tags: ['old'], configurable: { x: 1, cron_id } },
        },
        created_at,
      },
    });
    expect(first.json.updated_at > updated_at).toBe(true);
    const config = { configurable: { cron_id: 'mine', y: 2 } };
    const second = await api.patch(`/runs/crons/${cron_id}`, { config, on_run_completed: 'keep' });
    expect(second.json.payload.config).toEqual({ configurable: { y: 2, cron_id } });
    expect(second.json).toMatchObject({ on_run_completed: 'keep', metadata: { a: 1, b: 2 } });
    expect((await api.get(`/crons/${cron_id}`)).json).toEqual(second.json);
  });

  test('a new schedule, time zone or end changes the next run date', async () => {
    const { cron_id } = await create();
    const next = async (body: object) => (await api.patch(`/crons/${cron_id}`, body)).json.next_run_date;
    expect(await next({ schedule: '30 5 1 2 *' })).toMatch(/-02-01T05:30:00/);
    expect(await next({ timezone: 'Asia/Tokyo' })).toMatch(/-01-31T20:30:00/);
    expect(await next({ end_time: '2001-01-01T00:00:00Z' })).toBeNull();
    expect(await next({ end_time: null })).toMatch(/-01-31T20:30:00/);
    expect(await next({ timezone: null })).toMatch(/-02-01T05:30:00/);
    expect(await next({ is_enabled: false, metadata: {} })).toMatch(/-02-01T05:30:00/);
    expect((await api.get(`/crons/${cron_id}`)).json).toMatchObject({ enabled: false, is_enabled: false });
    expect(await next({ enabled: true })).toMatch(/-02-01T05:30:00/);
  });

  test.each([
    ['nothing', {}, 400],
    ['nothing but absent fields', { schedule: null, enabled: null }, 400],
    ['a bad schedule', { schedule: 'x' }, 422],
    ['a bad zone', { timezone: 'x' }, 422],
    ['a bad end', { end_time: 'x' }, 422],
    ['context together with configurable', { context: { a: 1 } }, 422],
  ])('with %s is refused and changes nothing', async (_what, body, expected) => {
    const cron = await create({ config: { configurable: { a: 1 } } });
    const { status, json } = await api.patch(`/runs/crons/${cron.cron_id}`, body);
    expect({ status, json }).toEqual({ status: expected, json: { detail: expect.any(String) } });
    expect((await api.get(`/runs/crons/${cron.cron_id}`)).json).toEqual(cron);
  });
});

test('a trigger starts a run now, under both paths, and keeps the schedule', async () => {
  const cron = await create({ input: { text: 'now' }, metadata: { team: 'a' }, enabled: false });
  const paths = [`/runs/crons/${cron.cron_id}`, `/crons/${cron.cron_id}`];
  for (const path of paths) {
    const { status, json: run } = await api.post(`${path}/trigger`, { on_run_completed: 'keep' });
    expect({ status, run }).toMatchObject({
      status: 200,
      run: {
        status: 'pending',
        metadata: { team: 'a', cron_id: cron.cron_id },
        kwargs: { temporary: false },
      },
    });
    const { json: values } = await api.get(`/threads/${run.thread_id}/runs/${run.run_id}/join`);
    expect(values).toMatchObject({ text: 'now', echo: 'now' });
  }
  expect((await api.post(`${paths[0]}/trigger`)).json.kwargs.temporary).toBe(true);
  expect((await api.get(paths[0]!)).json).toEqual(cron);
  expect((await api.post(`/runs/crons/${randomUUID()}/trigger`)).status).toBe(404);
});

test('delete removes a cron; a missing one is not found', async () => {
  for (const path of ['/runs/crons', '/crons']) {
    const { cron_id } = await create();
    const { status, text } = await api.delete(`${path}/${cron_id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect((await api.get(`${path}/${cron_id}`)).status).toBe(404);
    expect((await api.patch(`${path}/${cron_id}`, { enabled: true })).status).toBe(404);
    expect((await api.delete(`${path}/${cron_id}`)).status).toBe(404);
    expect((await api.get(`${path}/no-id`)).status).toBe(422);
  }
});

describe('search', () => {
  const mark = randomUUID();
  const search = (body: object) => api.post('/runs/crons/search', { metadata: { mark }, ...body });
  const names = async (body: object) => (await search(body)).json.map((cron: any) => cron.metadata.name);

  test('filters, sorts, pages and selects; count counts', async () => {
    const { json: thread } = await api.post('/threads', {});
    const { thread_id } = thread;
    // None of these days is near today, so that all are in the same year.
    const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
    const on = (day: number) => `0 0 ${day} ${month} *`;
    await create({ metadata: { mark, name: 'a' }, schedule: on(3) });
    await create({ metadata: { mark, name: 'b' }, schedule: on(2), enabled: false });
    const body = { assistant_id: 'steps', schedule: on(1), metadata: { mark, name: 'c' } };
    const { json: c } = await api.post(`/threads/${thread_id}/runs/crons`, body);

    expect(await names({})).toEqual(['c', 'b', 'a']);
    expect(await names({ sort_order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await names({ sort_by: 'next_run_date', sort_order: 'asc' })).toEqual(['c', 'b', 'a']);
    expect(await names({ enabled: true })).toEqual(['c', 'a']);
    expect(await names({ is_enabled: false })).toEqual(['b']);
    expect(await names({ thread_id })).toEqual(['c']);
    expect(await names({ assistant_id: 'echo' })).toEqual(['b', 'a']);
    expect(await names({ assistant_id: c.assistant_id })).toEqual(['c']);
    expect(await names({ assistant_id: randomUUID() })).toEqual([]);
    expect(await names({ metadata: { mark, name: 'b' } })).toEqual(['b']);

    const page = await search({ limit: 2 });
    expect(page.headers.get('x-pagination-total')).toBe('3');
    expect(page.headers.get('x-pagination-next')).toBe('2');
    const last = await search({ limit: 2, offset: 2 });
    expect(last.json).toHaveLength(1);
    expect(last.headers.get('x-pagination-total')).toBe('3');
    expect(last.headers.get('x-pagination-next')).toBeNull();

    const { json: selected } = await search({ thread_id, select: ['cron_id', 'enabled', 'now'] });
    expect(selected).toEqual([{ cron_id: c.cron_id, enabled: true, now: expect.stringMatching(STAMP) }]);

    const count = async (body: object) => (await api.post('/runs/crons/count', body)).json;
    expect(await count({ metadata: { mark } })).toBe(3);
    expect(await count({ metadata: { mark }, thread_id })).toBe(1);
    expect(await count({ metadata: { mark }, assistant_id: 'echo' })).toBe(2);
    for (const bad of [{ sort_by: 'luck' }, { select: ['secrets'] }, { select: ['caller'] }, { limit: 0 }])
      expect((await search(bad)).status).toBe(422);
  });
});

test('crons are deleted with their thread or assistant', async () => {
  const { json: threads } = { json: [await api.post('/threads', {}), await api.post('/threads', {})] };
  const [one, two] = threads.map(({ json }) => json.thread_id as string);
  const { json: assistant } = await api.post('/assistants', { graph_id: 'echo' });
  const { assistant_id } = assistant;
  const body = { assistant_id: 'echo', schedule: YEARLY };
  const { json: onOne } = await api.post(`/threads/${one}/runs/crons`, body);
  const { json: onTwo } = await api.post(`/threads/${two}/runs/crons`, body);
  const ofAssistant = await create({ assistant_id });

  await api.delete(`/threads/${one}`);
  await api.post('/threads/prune', { thread_ids: [two] });
  await api.delete(`/assistants/${assistant_id}`);
  for (const { cron_id } of [onOne, onTwo, ofAssistant])
    expect((await api.get(`/runs/crons/${cron_id}`)).status).toBe(404);
});

test('the server reports that it supports crons', async () => {
  expect((await api.get('/info')).json.flags.crons).toBe(true);
});
