import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { until } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { answerOk, type Receiver, useReceiver } from '../support/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
// Longer than a responsive receiver takes.
const api = useApi({ env: { SLIPWAY_WEBHOOK_SECRET: SECRET, SLIPWAY_WEBHOOK_TIMEOUT_SECONDS: '12' } });
const receiver = useReceiver();
const hooks = new Map<string, { answer: Receiver['answer'] }>();
receiver.answer = (one, response) => (hooks.get(one.path)?.answer ?? answerOk)(one, response);

/** A webhook URL for this test, its responses, and the requests it receives. */
function address(answer: Receiver['answer'] = answerOk) {
  const path = `/hook?token=${randomUUID()}`;
  const hook = {
    path,
    answer,
    url: receiver.url + path,
    next: async () => (await receiver.wait((one) => one.path === path))[0]!,
    many: (count: number) => receiver.wait((one) => one.path === path, count),
    all: () => receiver.received.filter((one) => one.path === path),
  };
  hooks.set(path, hook);
  return hook;
}

const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;
const start = async (webhook?: string, body = {}) =>
  (
    await api.post(`/threads/${await newThread()}/runs`, {
      assistant_id: 'echo',
      input: {},
      webhook,
      ...body,
    })
  ).json;

const deliveriesOf = (run: { thread_id: string; run_id: string }) =>
  `/threads/${run.thread_id}/runs/${run.run_id}/webhook-deliveries`;

/** The run's delivery, once it meets the condition. */
async function delivery(run: { thread_id: string; run_id: string }, state: string, attempts?: number) {
  let found: any;
  await until(`${attempts ?? 'some'} attempts, then ${state}`, async () => {
    [found] = (await api.get(deliveriesOf(run))).json;
    const isDone = found?.state === state && (state !== 'waiting' || found.last_error !== null);
    const made = attempts ?? found?.attempts;
    return isDone && found.attempts === made && found.latest?.length === made;
  });
  return found;
}

/** A delivery that is retried while the other tests run; it waits for a response as long as allowed. */
let unlucky: { hook: ReturnType<typeof address>; run: any };
beforeAll(async () => {
  const hook = address((one, response) => {
    const n = hook.all().length;
    if (n === 1) response.writeHead(500).end();
    else if (n === 2) response.destroy();
    else if (n > 3) answerOk(one, response);
  });
  unlucky = { hook, run: await start(hook.url, { input: { text: 'x' } }) };
});

describe('every operation that starts a run accepts a webhook', () => {
  test.each([
    ['POST /threads/{T}/runs', '/threads/T/runs'],
    ['POST /threads/{T}/runs/stream', '/threads/T/runs/stream'],
    ['POST /threads/{T}/runs/wait', '/threads/T/runs/wait'],
    ['POST /runs', '/runs'],
    ['POST /runs/stream', '/runs/stream'],
    ['POST /runs/wait', '/runs/wait'],
  ])('%s', async (_name, path) => {
    const hook = address();
    const threadId = await newThread();
    const body = { assistant_id: 'echo', input: { text: 'hi' }, webhook: hook.url };
    const { status } = await api.post(path.replace('T', threadId), body);
    expect(status).toBe(200);
    const { method, headers, json } = await hook.next();
    expect(method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    expect(json).toMatchObject({ status: 'success', kwargs: { input: { text: 'hi' }, webhook: hook.url } });
    expect(json.values).toEqual(
      path.startsWith('/threads') ? { text: 'hi', echo: 'hi', messages: [] } : null,
    );
  });

  test('POST /runs/batch', async () => {
    const hooks = [address(), address()];
    const { json } = await api.post(
      '/runs/batch',
      hooks.map(({ url }) => ({ assistant_id: 'echo', input: { text: 'x' }, webhook: url })),
    );
    const sent = await Promise.all(hooks.map(({ next }) => next()));
    expect(sent.map((one) => one.json.run_id)).toEqual(json.map((run: { run_id: string }) => run.run_id));
  });
});

describe('the payload', () => {
  test("has the ended run, its times and the thread's values", async () => {
    const hook = address();
    const threadId = await newThread();
    const { json: run } = await api.post(`/threads/${threadId}/runs`, {
      assistant_id: 'echo',
      input: { text: 'hi' },
      metadata: { order: 7 },
      webhook: hook.url,
    });
    const { json, headers } = await hook.next();
    const { json: stored } = await api.get(`/threads/${threadId}/runs/${run.run_id}`);
    const { run_started_at, run_ended_at, webhook_sent_at, values, ...fields } = json;
    expect(fields).toEqual(stored);
    expect(fields.metadata.order).toBe(7);
    expect(values).toEqual({ text: 'hi', echo: 'hi', messages: [] });
    const times = [json.created_at, run_started_at, run_ended_at, webhook_sent_at];
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(times.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(times);
    expect(headers['webhook-id']).toBe(run.run_id);
  });

  test('has the failure as a redacted object', async () => {
    const hook = address();
    await api.post(`/threads/${await newThread()}/runs`, {
      assistant_id: 'boom',
      input: {},
      webhook: hook.url,
    });
    const { json, text } = await hook.next();
    expect(json).toMatchObject({
      status: 'error',
      error: { error: 'Error', message: expect.any(String) },
      values: expect.anything(),
    });
    expect(text).not.toContain('hunter2');
  });

  test('interrupted and cancelled runs are interrupted, without an error', async () => {
    const asked = address();
    await api.post(`/threads/${await newThread()}/runs`, {
      assistant_id: 'approval',
      input: {},
      webhook: asked.url,
    });
    const cancelled = address();
    const threadId = await newThread();
    const { json: run } = await api.post(`/threads/${threadId}/runs`, {
      assistant_id: 'sleepy',
      input: { ms: 600_000 },
      webhook: cancelled.url,
    });
    await api.post(`/threads/${threadId}/runs/${run.run_id}/cancel?wait=1`);
    for (const { json } of [await asked.next(), await cancelled.next()]) {
      expect(json.status).toBe('interrupted');
      expect(json).not.toHaveProperty('error');
    }
  });

  test('is also sent for runs displaced while pending, or rolled back', async () => {
    const [running, waiting, last] = [address(), address(), address()];
    const threadId = await newThread();
    const start = (webhook: string, more: object) =>
      api.post(`/threads/${threadId}/runs`, {
        assistant_id: 'sleepy',
        input: { ms: 600_000 },
        webhook,
        ...more,
      });
    const { json: first } = await start(running.url, {});
    await start(waiting.url, {});
    await start(last.url, { input: { ms: 1 }, multitask_strategy: 'rollback' });
    const received = await Promise.all([running.next(), waiting.next(), last.next()]);
    expect(received.map(({ json }) => json.status)).toEqual(['rollback', 'rollback', 'success']);
    expect(received[0].json.run_id).toBe(first.run_id);
    expect((await api.get(`/threads/${threadId}/runs/${first.run_id}`)).status).toBe(404);
  });

  test("a delayed run's created_at is its due time", async () => {
    const hook = address();
    await api.post('/runs', {
      assistant_id: 'echo',
      input: { text: 'late' },
      after_seconds: 1,
      webhook: hook.url,
    });
    const { json } = await hook.next();
    expect(Date.parse(json.run_started_at)).toBeGreaterThanOrEqual(Date.parse(json.created_at));
  });

  test('the Standard Webhooks library accepts its signature', async () => {
    const hook = address();
    await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'é ✓' }, webhook: hook.url });
    const { headers, text } = await hook.next();
    const verify = (body: string) => new Webhook(SECRET).verify(body, headers as Record<string, string>);
    expect(verify(text)).toMatchObject({ status: 'success' });
    expect(() => verify(`${text} `)).toThrow();
  });
});

describe('delivery', () => {
  test('retries on 5xx, resets and timeouts, with the same id, until it succeeds', async () => {
    const { hook, run } = unlucky;
    // The run itself is not delayed.
    expect((await api.get(`/threads/${run.thread_id}/runs/${run.run_id}/join`)).json.echo).toBe('x');
    const sent = await hook.many(4);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const { attempts, latest } = await delivery(run, 'delivered');
    const answers = latest.map(({ answer }: { answer: string }) => answer);
    expect(answers).toEqual(expect.arrayContaining(['HTTP 500', 'timeout']));
    expect([answers.indexOf('HTTP 200'), hook.all().length]).toEqual([attempts - 1, attempts]);
  });

  test('respects Retry-After', async () => {
    const hook = address((one, response) =>
      hook.all().length === 1
        ? response.writeHead(429, { 'retry-after': '3' }).end()
        : answerOk(one, response),
    );
    await api.post('/runs', { assistant_id: 'echo', input: {}, webhook: hook.url });
    const [first, second] = await hook.many(2);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(2_900);
  });

  test('follows redirects with the same POST, and does not retry a 4xx', async () => {
    const moved = address((_one, response) => void response.writeHead(403).end());
    const hook = address((_one, response) => void response.writeHead(302, { location: moved.path }).end());
    const run = await start(hook.url, { input: { text: 'x' } });
    expect(await moved.next()).toMatchObject({ method: 'POST', text: (await hook.next()).text });
    await delivery(run, 'given_up', 1);
    expect(hook.all()).toHaveLength(1);
  });

  test("reports the run's outcome even if its thread has since changed or is gone", async () => {
    const hook = address((_one, response) => void response.writeHead(503, { 'retry-after': '2' }).end());
    const threadId = await newThread();
    const run = (text: string, more = {}) =>
      api.post(`/threads/${threadId}/runs/wait`, { assistant_id: 'echo', input: { text }, ...more });
    await run('first', { webhook: hook.url });
    const before = await hook.next();
    await run('second');
    expect((await api.delete(`/threads/${threadId}`)).status).toBe(204);
    hook.answer = answerOk;
    // The first one sent since then.
    const after = (await hook.many(hook.all().length + 1)).at(-1);
    expect(after!.json.values).toEqual({ text: 'first', echo: 'first', messages: [] });
    expect({ ...after!.json, webhook_sent_at: '' }).toEqual({ ...before.json, webhook_sent_at: '' });
  });

  test('a temporary thread is kept until its webhook is delivered', async () => {
    let answer!: () => void;
    const hook = address((one, response) => void (answer = () => answerOk(one, response)));
    await api.post('/runs/wait', { assistant_id: 'echo', input: { text: 'x' }, webhook: hook.url });
    const { json } = await hook.next();
    expect(json.kwargs.temporary).toBe(true);
    expect((await api.get(`/threads/${json.thread_id}`)).status).toBe(200);
    hook.answer = answerOk;
    answer();
    const status = async () => (await api.get(`/threads/${json.thread_id}`)).status;
    await until('the thread is gone', async () => (await status()) !== 200);
    expect(await status()).toBe(404);
  });

  test('no log line contains the URL', async () => {
    const hook = address((_one, response) => void response.writeHead(400).end());
    const run = await start(hook.url);
    await delivery(run, 'given_up', 1);
    const lines = () => api.server.logs().split('\n');
    await until('it is logged', () =>
      lines().some((line) => line.includes(run.run_id) && line.includes('webhook refused')),
    );
    expect(api.server.logs()).not.toContain('token=');
  });
});

describe('delivery status', () => {
  test('does not exist without a webhook, or before the run ends', async () => {
    const hook = address();
    const runs = [await start(), await start(hook.url, { assistant_id: 'sleepy', input: { ms: 600_000 } })];
    for (const run of runs) {
      expect((await api.get(deliveriesOf(run))).json).toEqual([]);
      expect((await api.post(`${deliveriesOf(run)}/${run.run_id}/retry`)).status).toBe(404);
    }
    expect((await api.get(deliveriesOf({ ...runs[0], run_id: randomUUID() }))).status).toBe(404);
    await api.post(`/threads/${runs[1].thread_id}/runs/${runs[1].run_id}/cancel`);
  });

  test('a waiting delivery can be sent immediately', async () => {
    const hook = address((_one, response) => void response.writeHead(503, { 'retry-after': '600' }).end());
    const run = await start(hook.url);
    const waits = await delivery(run, 'waiting', 1);
    expect(waits).toMatchObject({ delivery_id: run.run_id, last_error: 'HTTP 503' });
    expect(waits.latest).toEqual([{ attempt: 1, at: expect.any(String), answer: 'HTTP 503' }]);
    expect(Date.parse(waits.next_attempt_at)).toBeGreaterThan(Date.now() + 500_000);
    expect((await api.post(`${deliveriesOf(run)}/${randomUUID()}/retry`)).status).toBe(404);
    hook.answer = answerOk;
    const asked = await api.post(`${deliveriesOf(run)}/${run.run_id}/retry`);
    expect([asked.status, asked.json.delivery_id]).toEqual([202, run.run_id]);
    await hook.many(2);
    const out = await delivery(run, 'delivered', 2);
    expect(out).toMatchObject({ last_error: null, next_attempt_at: null });
    expect(out.latest.map(({ answer }: { answer: string }) => answer)).toEqual(['HTTP 503', 'HTTP 200']);
    // A 404 if the workflow that has it does not respond in time.
    const again = async () => (await api.post(`${deliveriesOf(run)}/${run.run_id}/retry`)).status;
    await until('nothing is left to send', async () => (await again()) === 409);
  });

  test('a failed delivery can be sent again', async () => {
    const hook = address((_one, response) => void response.writeHead(403).end());
    const run = await start(hook.url);
    expect(await delivery(run, 'given_up', 1)).toMatchObject({
      last_error: 'HTTP 403',
      next_attempt_at: null,
    });
    hook.answer = answerOk;
    expect((await api.post(`${deliveriesOf(run)}/${run.run_id}/retry`)).status).toBe(202);
    await hook.many(2);
    expect((await delivery(run, 'delivered', 1)).latest).toMatchObject([{ answer: 'HTTP 200' }]);
  });
});

describe('is refused with 422 and writes nothing', () => {
  test.each([
    ['what is no URL', 'not a url'],
    ['another scheme', 'ftp://example.com/x'],
    ['a relative URL without an http.app', '/hook'],
    ['another host in disguise', '//example.com/hook'],
    ['the metadata service of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['the same in other digits', 'http://0xa9fea9fe/'],
    ['the same as IPv6', 'http://[::ffff:169.254.169.254]/'],
    ['an empty one', ''],
  ])('%s', async (_name, webhook) => {
    const threadId = await newThread();
    const body = { assistant_id: 'echo', input: {}, webhook };
    const answers = await Promise.all([
      api.post(`/threads/${threadId}/runs`, body),
      api.post(`/threads/${threadId}/runs/wait`, body),
      api.post('/runs/stream', body),
      api.post('/runs/batch', [{ assistant_id: 'echo', input: {} }, body]),
    ]);
    for (const { status, json } of answers)
      expect({ status, json }).toEqual({ status: 422, json: { detail: expect.any(String) } });
    expect((await api.get(`/threads/${threadId}/runs`)).json).toEqual([]);
    expect((await api.get(`/threads/${threadId}`)).json.status).toBe('idle');
  });
});
