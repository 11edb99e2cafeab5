import { beforeAll, expect, test } from '@jest/globals';
import { AgentSettings } from '../../src/agent-server/agent-settings.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { until } from '../support/until.ts';
import { type Answer, useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';
import { framesOf } from './streams-frames.ts';

// Longer than anything that must finish in time.
const LATE_SECONDS = '12';
const api = useApi({
  env: {
    HOST: '0.0.0.0',
    SLIPWAY_RUN_TIMEOUT_SECONDS: LATE_SECONDS,
    SLIPWAY_EVENT_LIMIT_BYTES: '1000',
    SLIPWAY_HTTP_KEEP_ALIVE_SECONDS: '7',
    SLIPWAY_STATEMENT_TIMEOUT_SECONDS: LATE_SECONDS,
    SLIPWAY_CONCURRENCY: '1',
    SLIPWAY_BODY_LIMIT_BYTES: '5000',
  },
});

const receiver = useReceiver();
const newThread = async (): Promise<string> => (await api.post('/threads')).json.thread_id;

/** Concurrent operations that take too long: a run, and an update of a thread locked by another transaction. */
let slowRun: { thread_id: string; answer: Answer };
let lockedThread: { thread_id: string; answer: Answer };
beforeAll(async () => {
  const [running, locked] = [await newThread(), await newThread()];
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  const holder = await db.connect();
  await holder.query('begin');
  await holder.query('select from thread where thread_id = $1 for update', [locked]);
  const [ran, changed] = await Promise.all([
    api.post(`/threads/${running}/runs/wait`, {
      assistant_id: 'sleepy',
      input: { ms: 600_000 },
      webhook: `${receiver.url}/late`,
    }),
    api.patch(`/threads/${locked}`, { metadata: { a: 1 } }),
  ]);
  await holder.query('rollback');
  holder.release();
  await db.end();
  slowRun = { thread_id: running, answer: ran };
  lockedThread = { thread_id: locked, answer: changed };
});

test('listening on a public address warns that anyone can use the agents', () =>
  until('it warns', () => api.server.logs().includes('anyone who can reach http://0.0.0.0:')));

test('limits have their documented defaults', () => {
  expect(readSettings(AgentSettings, {})).toMatchObject({
    SLIPWAY_STATEMENT_TIMEOUT_SECONDS: 15 * 60,
    SLIPWAY_EVENT_RETENTION_SECONDS: 2 * 60,
    SLIPWAY_GRACE_SECONDS: 3 * 60,
    SLIPWAY_HTTP_KEEP_ALIVE_SECONDS: 75,
    SLIPWAY_EVENT_LIMIT_BYTES: 128 * 1024 * 1024,
    SLIPWAY_BODY_LIMIT_BYTES: 300 * 1024 * 1024,
    SLIPWAY_RUN_ATTEMPTS: 3,
    SLIPWAY_RUN_TIMEOUT_SECONDS: 24 * 60 * 60,
    SLIPWAY_KEEP_ALIVE_SECONDS: 5,
  });
});

test('a run that times out is an error, also in its webhook', async () => {
  const { json, headers } = slowRun.answer;
  expect(json).toEqual({ __error__: { error: 'TimeoutError', message: expect.any(String) } });
  expect((await api.get(headers.get('content-location')!)).json.status).toBe('error');
  expect((await api.get(`/threads/${slowRun.thread_id}`)).json).toMatchObject({
    status: 'error',
    error: { error: 'TimeoutError' },
  });
  const [webhook] = await receiver.wait(({ path }) => path === '/late');
  expect(webhook!.json).toMatchObject({
    status: 'error',
    error: { error: 'TimeoutError', message: expect.any(String) },
  });
});

test('an oversized event is dropped; the run and its result are complete', async () => {
  const id = await newThread();
  const text = 'x'.repeat(2_000);
  const answer = await api.post(`/threads/${id}/runs/stream`, { assistant_id: 'echo', input: { text } });
  expect(framesOf(answer.text).map(({ event }) => event)).toEqual(['metadata']);
  expect((await api.get(`${answer.headers.get('content-location')}/join`)).json.echo).toBe(text);
});

test('a worker executes the configured number of runs concurrently', async () => {
  const [a, b] = [await newThread(), await newThread()];
  const body = { assistant_id: 'sleepy', input: { ms: 800 } };
  const first = (await api.post(`/threads/${a}/runs`, body)).json;
  const second = (await api.post(`/threads/${b}/runs`, body)).json;
  for (const [thread, { run_id }] of [
    [a, first],
    [b, second],
  ] as const) {
    expect((await api.get(`/threads/${thread}/runs/${run_id}/join`)).json).toMatchObject({ slept: 800 });
  }
  const db = openDatabase({ url: api.databaseUrl, poolSize: 1 });
  const { rows } = await db.query(
    `select from run x join run y on x.run_id < y.run_id and x.started_at < y.ended_at and y.started_at < x.ended_at
     where x.run_id = any($1) and y.run_id = any($1)`,
    [[first.run_id, second.run_id]],
  );
  await db.end();
  expect(rows).toEqual([]);
});

test('idle connections are kept for the configured time', async () => {
  expect((await api.get('/ok')).headers.get('keep-alive')).toBe('timeout=7');
});

test('an oversized body is refused', async () => {
  const { status, json } = await api.post('/threads', { metadata: { long: 'x'.repeat(6_000) } });
  expect([status, json]).toEqual([413, { detail: 'Request body exceeds 5000 bytes' }]);
});

test('a statement timeout fails only its own request', async () => {
  const { thread_id, answer } = lockedThread;
  expect([answer.status, answer.json]).toEqual([500, { detail: 'Internal Server Error' }]);
  expect((await api.patch(`/threads/${thread_id}`, { metadata: { a: 1 } })).status).toBe(200);
});

test('headers may be longer than those that a gateway accepts', async () => {
  const status = async (length: number) =>
    (await fetch(`${api.url}/ok`, { headers: { 'x-long': 'x'.repeat(length) } })).status;
  expect([await status(40_000), await status(70_000)]).toEqual([200, 431]);
});
