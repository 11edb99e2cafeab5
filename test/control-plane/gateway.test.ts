import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useGateway } from './gateway-fixture.ts';

const platform = useGateway();
const { key, settings, upstream, deployment, revision, reach, serve, serving, ask } = platform;
const BRIEFLY_MS = 500;

test('passes responses unchanged, with a revision header', async () => {
  const { id, revisionId } = await serving('one');
  const answer = await ask(`${platform.url}/d/${id}/runs/wait?x=%20`, {
    method: 'POST',
    body: 'x'.repeat(3_000_000),
    headers: { 'x-custom': 'kept' },
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-slipway-revision')).toBe(revisionId);
  expect(answer.headers.get('location')).toBe('/threads/1/runs/2');
  expect(answer.headers.get('content-location')).toBe('/threads/1');
  expect(await answer.json()).toMatchObject({
    bytes: 3_000_000,
    url: '/runs/wait?x=%20',
    headers: {
      'x-custom': 'kept',
      'x-forwarded-host': platform.url.slice('http://'.length),
      'x-forwarded-proto': 'http',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-prefix': `/d/${id}`,
    },
  });
  const bare = await ask(`${platform.url}/d/${id}`);
  expect(await bare.json()).toMatchObject({ url: '/' });
  expect((await ask(`${platform.url}/d/${id}/ok`, { method: 'HEAD' })).status).toBe(200);
});

test('a revision has its own URL, and both have one below the domain', async () => {
  const { id, revisionId } = await serving('one');
  const two = await upstream('two');
  const canary = await revision(id, two.url);
  expect(await (await ask(`${platform.url}/r/${canary}/ok`)).json()).toMatchObject({ name: 'two' });
  const byHost = async (host: string) => {
    const { body, headers } = await request(`${platform.url}/ok`, { headers: { ...key, host } });
    return { revision: headers['x-slipway-revision'], ...((await body.json()) as object) };
  };
  expect(await byHost(`${id}.agents.test`)).toMatchObject({ revision: revisionId, name: 'one', url: '/ok' });
  expect(await byHost(`r-${canary}.agents.test:80`)).toMatchObject({ revision: canary, name: 'two' });
});

test('an agent’s response cannot act on the platform’s pages', async () => {
  const { id } = await serving('one');
  const always = ['clear-site-data', 'x-accel-redirect', 'x-sendfile'];
  const forOrigin = ['set-cookie', 'refresh', 'strict-transport-security', 'sec-session-registration'];
  const byPath = await ask(`${platform.url}/d/${id}/threads`);
  expect([...always, ...forOrigin].filter((name) => byPath.headers.has(name))).toEqual([]);
  const host = `${id}.agents.test`;
  const { headers, body } = await request(`${platform.url}/threads`, { headers: { ...key, host } });
  await body.dump();
  expect(headers['set-cookie']).toEqual(['slipway=mine; Path=/', 'b=2; Path=/']);
  expect(always.filter((name) => name in headers)).toEqual([]);
});

test('a missing deployment is a 404', async () => {
  const nobody = await ask(`${platform.url}/d/${randomUUID()}/ok`);
  expect({ status: nobody.status, body: await nobody.json() }).toEqual({
    status: 404,
    body: { detail: expect.stringContaining('There is no deployment') },
  });
  const early = await ask(`${platform.url}/d/${await deployment()}/ok`);
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
});

test('access control holds when a deployment and a revision are addressed through each other', async () => {
  const { id, revisionId } = await serving('one');
  const status = async (path: string) => (await ask(`${platform.url}${path}/ok`)).status;
  for (const [wrong, right] of [
    [`/r/${id}`, `/d/${id}`],
    [`/d/${revisionId}`, `/r/${revisionId}`],
  ] as const)
    expect([await status(wrong), await status(right), await status(wrong)]).toEqual([404, 200, 404]);
});

test('streams events one by one, and notices a disconnected reader immediately', async () => {
  const { id, revisionId, upstream: agent } = await serving('one');
  const leave = new AbortController();
  const stream = await ask(`${platform.url}/d/${id}/stream`, { signal: leave.signal });
  expect(stream.headers.get('x-slipway-revision')).toBe(revisionId);
  const seen: string[] = [];
  for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
    seen.push(Buffer.from(chunk).toString());
    if (seen.length === 5) break;
  }
  leave.abort();
  expect(seen.length).toBe(5);
  await until('the agent notices that its reader left', async () => agent.left === 1);
});

test('a slow reader applies back-pressure, and an aborted response looks aborted', async () => {
  const { id } = await serving('one');
  const before = process.memoryUsage().rss;
  const { body } = await request(`${platform.url}/d/${id}/large`, { headers: key });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  expect((await body.arrayBuffer()).byteLength).toBe(20_000_000);
  await expect(ask(`${platform.url}/d/${id}/cut`).then((answer) => answer.text())).rejects.toThrow();
});

test('proxies WebSockets in both directions, and their refusals', async () => {
  const { id, upstream: agent } = await serving('one');
  const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/d/${id}/socket?a=1`, { headers: key });
  const received: string[] = [];
  socket.on('message', (data) => received.push((data as Buffer).toString()));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send('a word');
  await until('both words', async () => received.length === 2);
  expect(received).toEqual(['hello from one', 'one heard a word']);
  socket.close();
  await until('the agent notices the end', async () => agent.left === 1);

  const status = await new Promise((resolve) => {
    const refused = new WebSocket(`${platform.url.replace('http', 'ws')}/d/${id}/elsewhere`, {
      headers: key,
    });
    refused.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    refused.on('error', () => {});
  });
  expect(status).toBe(403);
});

test('swaps revisions under load without a failed request', async () => {
  const first = await serving('r0');
  const { id } = first;
  let agent = first.upstream;
  const load = { goes: true };
  const seen = new Map<string, number>();
  const failures: string[] = [];
  const client = new Agent({ connections: 16 });
  const worker = async (number: number) => {
    while (load.goes) {
      const posts = number % 2 === 0;
      const answer = await request(`${platform.url}/d/${id}/${number === 0 ? 'slow' : 'ok'}`, {
        dispatcher: client,
        headers: key,
        method: posts ? 'POST' : 'GET',
        ...(posts && { body: 'x'.repeat(50_000) }),
      }).catch((error: Error) => ({ statusCode: error.message, body: undefined, headers: {} as never }));
      const body = (await answer.body?.json()) as { name?: string; bytes?: number } | undefined;
      const fine = [200, 201].includes(answer.statusCode as number) && (!posts || body?.bytes === 50_000);
      if (!fine) failures.push(`${answer.statusCode} ${JSON.stringify(body)}`);
      else seen.set(body!.name!, (seen.get(body!.name!) ?? 0) + 1);
    }
  };
  const workers = Array.from({ length: 16 }, (_, number) => worker(number));
  const answers = (name: string) => until(`${name} answers`, () => seen.has(name));
  await answers('r0');
  for (let swap = 1; swap <= 5; swap++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const next = await upstream(`r${swap}`);
    await serve(id, await revision(id, next.url));
    // A drain first waits until gateways have been notified and requests in transit have arrived.
    await answers(`r${swap}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await agent.close();
    agent = next;
  }
  load.goes = false;
  await Promise.all(workers);
  await client.close();
  expect(failures).toEqual([]);
  expect([...seen.keys()].sort()).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']);
});

test('holds a request while no replica is reachable', async () => {
  const { id, upstream: agent } = await serving('gone');
  await agent.close();
  const waiting = ask(`${platform.url}/d/${id}/ok`, { method: 'POST', body: 'kept meanwhile' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const next = await upstream('next');
  await serve(id, await revision(id, next.url));
  expect(await (await waiting).json()).toMatchObject({ name: 'next', bytes: 14 });

  await next.close();
  settings.holdMs = BRIEFLY_MS;
  const started = performance.now();
  const refused = await ask(`${platform.url}/d/${id}/ok`);
  settings.holdMs = PATIENCE_MS;
  expect(refused.status).toBe(503);
  // Timers and clocks are rounded separately.
  expect(performance.now() - started).toBeGreaterThan(BRIEFLY_MS - 10);
  expect(refused.headers.get('x-slipway-revision')).toEqual(expect.any(String));
});

test.each([
  ['POST', 'what may have been done is not done again', 1],
  ['GET', 'what ends whoever gets it is not sent for ever', 3],
])('a %s: %s', async (method, _, times) => {
  const id = await deployment();
  let asked = 0;
  const breaks = createServer((incoming) => {
    asked += 1;
    incoming.socket.destroy();
  });
  await new Promise<void>((resolve) => breaks.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(breaks.address() as AddressInfo).port}`;
  await serve(id, await revision(id, at));
  const answer = await ask(`${platform.url}/d/${id}/runs`, {
    method,
    ...(method === 'POST' && { body: '{}' }),
  });
  expect([answer.status, asked]).toEqual([502, times]);
  breaks.close();
});

/** A replica in a separate process that accepts requests and never answers; reports each request. */
async function silentReplica() {
  const program = `
    const server = require('node:http').createServer((request) => {
      request.resume().on('end', () => console.log('asked'));
    });
    server.on('connection', () => console.log('connected'));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until('it listens', async () => lines.length > 0);
  return {
    url: `http://127.0.0.1:${lines[0]}`,
    hears: (what: string) => until(what, async () => lines.includes(what)),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test.each([
  ['GET', 'GET', {}, true],
  ['PUT', 'PUT', { body: 'x'.repeat(200_000) }, true],
  ['DELETE', 'DELETE', { body: '{}' }, true],
  ['POST with a key', 'POST', { body: '{}', headers: { 'idempotency-key': 'one' } }, true],
  ['POST', 'POST', { body: '{}' }, false],
  ['PUT that is too large to be kept', 'PUT', { body: 'x'.repeat(2_000_000) }, false],
])(
  'when a replica dies with a %s, another is asked where that can do no harm',
  async (_, method, init, again) => {
    const id = await deployment();
    const dying = await silentReplica();
    const revisionId = await revision(id, dying.url);
    await serve(id, revisionId);
    const waiting = ask(`${platform.url}/d/${id}/ok`, { method, ...init });
    await dying.hears('asked');
    const other = await upstream('other');
    await reach(revisionId, other.url, 1);
    await dying.kill();
    const answer = await waiting;
    const body = await answer.json();
    if (again) expect(body).toMatchObject({ name: 'other', bytes: 'body' in init ? init.body.length : 0 });
    else expect([answer.status, body]).toEqual([502, { detail: expect.any(String) }]);
  },
);

test('resends a POST to another replica if none of its body was sent', async () => {
  const id = await deployment();
  const dying = await silentReplica();
  const revisionId = await revision(id, dying.url);
  await serve(id, revisionId);
  const { hostname, port } = new URL(platform.url);
  const posting = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: `/d/${id}/ok`,
    headers: { ...key, 'content-length': 5 },
  });
  const answered = once(posting, 'response');
  posting.flushHeaders();
  await dying.hears('connected');
  await reach(revisionId, (await upstream('other')).url, 1);
  await dying.kill();
  posting.end('whole');
  const [answer] = (await answered) as [IncomingMessage];
  expect(await json(answer)).toMatchObject({ name: 'other', bytes: 5 });
});

test('a canary gets its share of threads, and a thread stays on its revision', async () => {
  const { id, revisionId } = await serving('one');
  const two = await upstream('two');
  const canary = await revision(id, two.url);
  await platform.db.query('insert into control_plane.traffic values ($1, $2, 30)', [id, canary]);
  const threads = Array.from({ length: 300 }, () => randomUUID());
  const who = async (thread: string) =>
    (await ask(`${platform.url}/d/${id}/threads/${thread}/state`)).headers.get('x-slipway-revision');
  await until('the gateway has been notified', async () => (await who(threads[0]!)) !== null);
  const first = await Promise.all(threads.map(who));
  const share = first.filter((one) => one === canary).length / threads.length;
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.42);
  expect(await Promise.all(threads.map(who))).toEqual(first);
  // Replicas that are not ready get no traffic.
  await platform.db.query(`update control_plane.instance set state = 'draining' where revision_id = $1`, [
    canary,
  ]);
  await until('all go to the one that serves', async () =>
    (await Promise.all(threads.slice(0, 50).map(who))).every((one) => one === revisionId),
  );
});

test('routes survive a lost listening connection, and changes made meanwhile apply', async () => {
  const { id } = await serving('one');
  expect((await ask(`${platform.url}/d/${id}/ok`)).status).toBe(200);
  await platform.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'slipway-listen' and datname = current_database()`,
  );
  const two = await upstream('two');
  await serve(id, await revision(id, two.url));
  await until('the new one answers', async () => {
    const answer = await ask(`${platform.url}/d/${id}/ok`);
    return ((await answer.json()) as { name: string }).name === 'two';
  });
});

test('a request that is invalid for the agent is refused, not retried forever', async () => {
  const { id } = await serving('one');
  const status = await new Promise((resolve) => {
    httpRequest(
      `${platform.url}/d/${id}/ok`,
      { headers: { ...key, expect: '100-continue', te: 'trailers' } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    ).end();
  });
  expect(status).toBe(200);
});
