import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { findReadStatus, markRolledBack } from '../../src/agent-server/records/in-flight-repository.ts';
import { inTransaction, isRolledBack, openDatabase } from '../../src/platform/db/database.ts';
import { makeGate } from '../support/gate.ts';
import { openAnswer, openPost } from '../support/open-answer.ts';
import { framesOf } from './streams-frames.ts';
import { type Answer, useApi } from '../support/use-api.ts';
import { until } from '../support/until.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '0.1' } });
const later = { assistant_id: 'sleepy', input: { ms: 0 }, after_seconds: 3_600 };
const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
async function runPath(thread: string, body: object): Promise<string> {
  const { status, json } = await api.post(`/threads/${thread}/runs`, body);
  // A project in another language may not have the graph.
  expect({ status, json }).toMatchObject({ status: 200 });
  return `/threads/${thread}/runs/${json.run_id}`;
}

async function started(
  thread: string,
  body: object = { assistant_id: 'sleepy', input: { ms: 600_000 } },
): Promise<string> {
  const path = await runPath(thread, body);
  await until('it runs', async () => (await api.get(path)).json.status === 'running');
  return path;
}

test('cancel returns an empty 202 immediately, or a 200 with the result once the run has stopped', async () => {
  const id = await newThread();
  const soon = await started(id);
  const accepted = await api.post(`${soon}/cancel?wait=0&action=interrupt`);
  expect([accepted.status, accepted.text]).toEqual([202, '']);
  await until('it is interrupted', async () => (await api.get(soon)).json.status === 'interrupted');
  const run = await started(id);
  const stopped = await api.post(`${run}/cancel?wait=true`);
  expect([stopped.status, stopped.json]).toEqual([200, { ms: 600_000 }]);
  expect(stopped.headers.get('location')).toBe(`${run}/join`);
  expect((await api.get(run)).json.status).toBe('interrupted');
  expect((await api.get(`${run}/join`)).json).toEqual({ ms: 600_000 });
});

test('an unknown action means interrupt; a reason is accepted', async () => {
  const run = await runPath(await newThread(), later);
  expect((await api.post(`${run}/cancel?wait=1&action=stop&reason=taken`)).status).toBe(200);
  expect((await api.get(run)).json.status).toBe('interrupted');
});

test('only runs in flight can be cancelled', async () => {
  const id = await newThread();
  const unknown = await api.post(`/threads/${id}/runs/${randomUUID()}/cancel`);
  expect([unknown.status, unknown.json]).toEqual([404, { detail: 'No runs found to cancel.' }]);
  const done = await runPath(id, { assistant_id: 'echo' });
  await api.get(`${done}/join`);
  expect((await api.post(`${done}/cancel?wait=1`)).status).toBe(404);
});

test('a cancelled run closes its stream without an error', async () => {
  const id = await newThread();
  const run = await started(id);
  const reading = await openAnswer(`${api.url}${run}/stream`);
  await api.post(`${run}/cancel`);
  // Earlier events of the run may arrive too.
  expect(framesOf(await reading.whole()).filter(({ event }) => event !== 'values')).toEqual([]);
});

test('interrupting a pending run does not affect others', async () => {
  const id = await newThread();
  const first = await started(id);
  const second = await runPath(id, { assistant_id: 'echo', input: { text: 'two' } });
  const third = await runPath(id, { assistant_id: 'echo', input: { text: 'three' } });
  await api.post(`${second}/cancel?wait=1`);
  expect((await api.get(first)).json.status).toBe('running');
  await api.post(`${first}/cancel?wait=1`);
  expect((await api.get(`${third}/join`)).json).toMatchObject({ echo: 'three' });
  expect((await api.get(second)).json.status).toBe('interrupted');
});

test('rolling back a pending run removes only that run', async () => {
  const id = await newThread();
  const done = await runPath(id, { assistant_id: 'echo', input: { text: 'one' } });
  await api.get(`${done}/join`);
  const waiting = await runPath(id, later);
  expect((await api.get(`/threads/${id}`)).json.status).toBe('busy');
  expect((await api.post(`${waiting}/cancel?wait=1&action=rollback`)).status).toBe(200);
  expect((await api.get(waiting)).status).toBe(404);
  expect((await api.get(`/threads/${id}`)).json).toMatchObject({ status: 'idle', values: { echo: 'one' } });
});

test('a run without a thread is rolled back with its thread', async () => {
  const { json } = await api.post('/runs', { assistant_id: 'sleepy', input: { ms: 600_000 } });
  await api.post(`/threads/${json.thread_id}/runs/${json.run_id}/cancel?wait=1&action=rollback`);
  expect((await api.get(`/threads/${json.thread_id}`)).status).toBe(404);
});

test('rolling back a run restores the error of a thread that failed before', async () => {
  const id = await newThread();
  await api.post(`/threads/${id}/runs/wait`, { assistant_id: 'boom', input: { message: 'first' } });
  const before = (await api.get(`/threads/${id}`)).json;
  expect(before).toMatchObject({ status: 'error', error: { message: 'first' } });
  const run = await started(id);
  expect((await api.post(`${run}/cancel?wait=1&action=rollback`)).status).toBe(200);
  const after = (await api.get(`/threads/${id}`)).json;
  expect([after.status, after.error, after.values]).toEqual([before.status, before.error, before.values]);
});

test('readers see the end of a rolled-back run only once it is gone', async () => {
  const run = await runPath(await newThread(), later);
  const id = run.split('/').at(-1)!;
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  try {
    expect(await findReadStatus(db, id)).toBe('pending');
    await markRolledBack(db, id, ['pending']);
    expect(await findReadStatus(db, id)).toBe('running');
  } finally {
    await db.end();
  }
});

test('a waiting caller gets an empty result for a rolled-back run', async () => {
  const id = await newThread();
  const run = await started(id);
  // Its response begins with a newline.
  const waiting = await openAnswer(`${api.url}${run}/join`);
  await api.post(`${run}/cancel?action=rollback`);
  expect(JSON.parse(await waiting.whole())).toEqual({});
});

test('cancels many runs by ids on a thread, or by status everywhere', async () => {
  const id = await newThread();
  const [one, two] = [await runPath(id, later), await runPath(id, later)];
  const run_ids = [one.split('/').at(-1)];
  const byId = await api.post('/runs/cancel', { thread_id: id, run_ids });
  expect([byId.status, byId.text]).toEqual([204, '']);
  expect([(await api.get(one)).json.status, (await api.get(two)).json.status]).toEqual([
    'interrupted',
    'pending',
  ]);
  expect((await api.post('/runs/cancel', { thread_id: id, run_ids })).status).toBe(404);
  const running = await started(await newThread());
  expect((await api.post('/runs/cancel?action=rollback', { status: 'running' })).status).toBe(204);
  expect([(await api.get(running)).status, (await api.get(two)).status]).toEqual([404, 200]);
  expect((await api.post('/runs/cancel', { status: 'all' })).status).toBe(204);
  expect((await api.get(two)).json.status).toBe('interrupted');
});

test.each([
  {},
  { status: 'bored' },
  { thread_id: randomUUID() },
  { run_ids: [randomUUID()] },
  { thread_id: randomUUID(), run_ids: [] },
  { thread_id: randomUUID(), run_ids: ['7'] },
  { status: 'all', thread_id: randomUUID(), run_ids: [randomUUID()] },
])('cancelling many by %j is refused', async (body) => {
  const { status, json } = await api.post('/runs/cancel', body);
  expect({ status, json }).toEqual({ status: 422, json: { detail: expect.any(String) } });
});

test('a disconnecting caller cancels its run only if requested', async () => {
  const id = await newThread();
  const body = { assistant_id: 'sleepy', input: { ms: 600_000 }, on_disconnect: 'cancel' };
  (await openPost(`${api.url}/threads/${id}/runs/wait`, body)).leave();
  const [left] = (await api.get(`/threads/${id}/runs`)).json;
  await until(
    'it is interrupted',
    async () => (await api.get(`/threads/${id}/runs/${left.run_id}`)).json.status === 'interrupted',
  );
  const joined = await started(id);
  (await openAnswer(`${api.url}${joined}/join?cancel_on_disconnect=0`)).leave();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await api.get(joined)).json.status).toBe('running');
  (await openAnswer(`${api.url}${joined}/join?cancel_on_disconnect=1`)).leave();
  await until('it is interrupted', async () => (await api.get(joined)).json.status === 'interrupted');
});

test('a caller that disconnects during creation cancels its run too', async () => {
  const id = await newThread();
  const body = JSON.stringify({ assistant_id: 'sleepy', input: { ms: 600_000 }, on_disconnect: 'cancel' });
  for (let ms = 1; ms <= 24; ms += 1) {
    const way = ms % 2 === 0 ? 'wait' : 'stream';
    await fetch(`${api.url}/threads/${id}/runs/${way}`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(ms),
    })
      .then((response) => response.text())
      .catch(() => {});
  }
  await until('all are interrupted', async () => {
    const runs: { status: string }[] = (await api.get(`/threads/${id}/runs?limit=100`)).json;
    return runs.every(({ status }) => status === 'interrupted');
  });
});

/**
 * Sends a request that locks a thread and then its run, while another transaction holds the run's lock and asks for
 * the thread's. Postgres may end either one; this repeats until it ends the request.
 */
async function deadlocked(run: string, request: () => Promise<Answer>, wanted: number): Promise<Answer> {
  const [, , thread_id, , run_id] = run.split('/');
  const db = openDatabase({ url: api.databaseUrl, poolSize: 2 });
  try {
    let answer: Answer | undefined;
    await until('Postgres ends the request', async () => {
      let asked: Promise<Answer> | undefined;
      await inTransaction(db, async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        // So that the other one detects the deadlock first.
        await tx.query(`set local deadlock_timeout = '20s'`);
        await tx.query('select from run where run_id = $1 for update', [run_id]);
        asked = request();
        await until('the request waits', async () => {
          const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))';
          return (await db.query(waiting, [rows[0]!.pid])).rowCount === 1;
        });
        await tx.query('select from thread where thread_id = $1 for update', [thread_id]);
      }).catch((error: unknown) => {
        if (!isRolledBack(error)) throw error;
      });
      answer = await asked;
      return answer?.status === wanted;
    });
    return answer!;
  } finally {
    await db.end();
  }
}

test('a deadlock while cancelling a run is a 409', async () => {
  const run = await runPath(await newThread(), later);
  const { json } = await deadlocked(run, () => api.post(`${run}/cancel`), 409);
  expect(json.detail).toMatch(/was not cancelled/);
  expect((await api.get(run)).json.status).toBe('pending');
  expect((await api.post(`${run}/cancel`)).status).toBe(202);
});

test('any other deadlock is a 503 with Retry-After that does not blame the database', async () => {
  const thread = await newThread();
  const run = await runPath(thread, { assistant_id: 'echo', input: { text: 'hi' } });
  await api.get(`${run}/join`);
  const { json, headers } = await deadlocked(run, () => api.delete(`/threads/${thread}`), 503);
  expect([json, headers.get('retry-after')]).toEqual([
    { detail: 'The request conflicted with another one; retry' },
    '1',
  ]);
  expect((await api.delete(`/threads/${thread}`)).status).toBe(204);
});

describe('a cancelled node stops immediately, whatever it calls', () => {
  test.each([
    ...[
      'store.get',
      'store.put',
      'store.put, many at once',
      'store.search',
      'interrupt',
      'subgraph',
      'a subgraph without its configuration',
      'fetch',
      'model',
      'writer',
    ].map((call) => ['late', call]),
    ...['store.get', 'task'].map((call) => ['late_functional', call]),
  ])('%s: %s', async (assistant_id, call) => {
    const id = await newThread();
    const { file } = makeGate();
    const run = await runPath(id, { assistant_id, input: { call, file } });
    await until('its node executes', () => existsSync(file));
    const stopped = await api.post(`${run}/cancel?wait=true`);
    expect(stopped.status).toBe(200);
    expect((await api.get(run)).json.status).toBe('interrupted');
    expect(api.server.logs()).not.toContain('a node continued after its run was stopped');
  });
});
