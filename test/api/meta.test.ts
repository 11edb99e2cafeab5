import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { openDatabase } from '../../src/platform/db/database.ts';
import { statusUnder } from '../support/status-under.ts';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

/** A sample in Prometheus text; undefined if missing. */
const sample = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

test('info reports a version that clients treat as modern, and the features', async () => {
  const { json } = await api.get('/info');
  expect(json).toMatchObject({ version: '0.7.46', context: 'js', flags: { assistants: true } });
  expect(json.host).toMatchObject({ kind: 'self-hosted' });
});

test('metrics cover the queue, the worker, waits, outcomes and requests in Prometheus format', async () => {
  await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'x' } });
  const { thread_id } = (await api.post('/threads')).json;
  const running = await api.post(`/threads/${thread_id}/runs`, {
    assistant_id: 'sleepy',
    input: { ms: 600_000 },
  });
  await api.post(`/threads/${thread_id}/runs`, { assistant_id: 'echo', input: { text: 'waits' } });
  const run = `/threads/${thread_id}/runs/${running.json.run_id}`;
  await until('the second run runs', async () => (await api.get(run)).json.status === 'running');
  // A run is counted once its outcome is stored; waiting callers may be notified slightly earlier.
  await until('the first run is counted', async () => {
    const { text } = await api.get('/metrics');
    const isOver = sample(text, 'slipway_worker_slots{state="active"}') === 1;
    return isOver && sample(text, 'slipway_runs_total{status="success"}') === 1;
  });
  const { text, headers } = await api.get('/metrics');
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(sample(text, 'slipway_runs{state="pending"}')).toBe(1);
  expect(sample(text, 'slipway_runs{state="running"}')).toBe(1);
  expect(sample(text, 'slipway_worker_slots{state="max"}')).toBe(200);
  expect(sample(text, 'slipway_worker_slots{state="active"}')).toBe(1);
  expect(sample(text, 'slipway_worker_slots{state="available"}')).toBe(199);
  expect(sample(text, 'slipway_runs_total{status="success"}')).toBe(1);
  expect(sample(text, 'slipway_run_wait_seconds_count')).toBe(2);
  expect(sample(text, 'slipway_run_seconds_count{status="success"}')).toBe(1);
  const requests = 'slipway_http_request_seconds_count{method="POST",route="/runs/wait",status="200"}';
  expect(sample(text, requests)).toBe(1);
  expect(sample(text, 'lg_api_num_pending_runs')).toBe(1);
  expect(sample(text, 'lg_api_num_running_runs')).toBe(1);
  expect(sample(text, 'lg_api_workers_max')).toBe(200);
  expect(sample(text, 'lg_api_workers_active')).toBe(1);
  expect(sample(text, 'lg_api_workers_available')).toBe(199);
  expect(sample(text, 'lg_api_pending_runs_wait_time_max')).toBeGreaterThan(0);
  expect(sample(text, 'process_resident_memory_bytes')).toBeGreaterThan(0);

  const asJson = await api.get('/metrics?format=json');
  expect(asJson.headers.get('content-type')).toMatch(/^application\/json/);
  expect(asJson.json).toEqual({
    workers: { max: 200, active: 1, available: 199 },
    queue: {
      n_pending: 1,
      n_running: 1,
      pending_runs_wait_time_max_secs: expect.any(Number),
      pending_runs_wait_time_med_secs: expect.any(Number),
    },
  });
  expect((await api.get('/metrics?format=xml')).status).toBe(422);
  await api.delete(`/threads/${thread_id}`);
});

test('the OpenAPI document has both formats of the metrics', async () => {
  const { paths } = (await api.get('/openapi.json')).json;
  expect(Object.keys(paths['/metrics'].get.responses['200'].content)).toEqual([
    'text/plain',
    'application/json',
  ]);
});

test('ok checks the process, and with check_db the database', async () => {
  const ok = { status: 200, json: { ok: true } };
  expect(await api.get('/ok')).toMatchObject(ok);
  expect(await api.get('/')).toMatchObject(ok);
  expect(await api.get('/ok?check_db=1')).toMatchObject(ok);
  const db = openDatabase({ url: process.env['TEST_DATABASE_URL']!, poolSize: 1 });
  const name = new URL(api.databaseUrl).pathname.slice(1);
  await db.query(`alter database ${name} allow_connections false`);
  await until('its connections are gone', async () => {
    const { rows } = await db.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    );
    return rows.length === 0;
  });
  try {
    expect(await api.get('/ok')).toMatchObject(ok);
    expect(await api.get('/ok?check_db=1')).toMatchObject({
      status: 503,
      json: { ok: false, detail: 'The database cannot be reached' },
    });
    const { status, text } = await api.get('/metrics');
    expect(status).toBe(200);
    expect(sample(text, 'slipway_worker_slots{state="max"}')).toBe(200);
    expect(sample(text, 'slipway_runs{state="pending"}')).toBeNaN();
    expect((await api.get('/metrics?format=json')).json.queue).toBeNull();
  } finally {
    await db.query(`alter database ${name} allow_connections true`);
    await db.end();
  }
  expect(await api.get('/ok?check_db=1')).toMatchObject(ok);
});

test('without auth on loopback, requests with a foreign Host header are refused', async () => {
  const { port } = new URL(api.url);
  const paths = ['/ok', '/info', '/docs', '/assistants/echo', '/.well-known/agent-card.json', '/nowhere'];
  for (const path of paths) {
    const status = (host: string) => statusUnder(host, `${api.url}${path}`);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '192.168.0.7'])
      expect([path, host, await status(host)]).toEqual([path, host, 403]);
    expect([path, await status(`localhost:${port}`)]).not.toEqual([path, 403]);
  }
  const address = `${api.url.replace('http', 'ws')}/threads/${randomUUID()}/stream/events`;
  const socket = new WebSocket(address, { headers: { host: 'evil.example' } });
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4403);
});
