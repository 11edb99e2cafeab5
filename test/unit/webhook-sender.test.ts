import { afterEach, describe, expect, test } from '@jest/globals';
import type { ProjectConfig } from '../../src/graph-protocol/project-schema.ts';
import type { Resolve } from '../../src/agent-server/webhooks/webhook-addresses.ts';
import type { EndedRun } from '../../src/agent-server/records/webhook-delivery-repository.ts';
import type { InternalApp } from '../../src/agent-server/webhooks/webhook-sender.ts';
import { readPrivateAddresses } from '../../src/platform/private-addresses.ts';
import { Webhooks } from '../../src/agent-server/webhooks/webhooks.ts';
import { answerOk, useReceiver } from '../support/webhook-receiver.ts';

const receiver = useReceiver();
const opened: Webhooks[] = [];
afterEach(async () => {
  receiver.answer = answerOk;
  receiver.received.length = 0;
  await Promise.all(opened.splice(0).map((webhooks) => webhooks.close()));
});

interface Given {
  config?: ProjectConfig['webhooks'];
  http?: ProjectConfig['http'];
  /** Addresses of a name, one list per lookup. */
  names?: Record<string, string[]>;
  app?: InternalApp['fetch'];
  timeoutMs?: number;
  /** In the setting's format. */
  privateAddresses?: string;
}

function open({
  config = {},
  http = {},
  names = {},
  app,
  timeoutMs = 60_000,
  privateAddresses = 'all',
}: Given = {}) {
  const asked: string[] = [];
  const resolve: Resolve = async (host) => {
    asked.push(host);
    const list = names[host] ?? [];
    const address = list.length > 1 ? list.shift() : list[0];
    if (!address) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    return [{ address, family: 4 }];
  };
  const allowed_ports = [80, 443, Number(new URL(receiver.url).port)];
  const rules = { ...config, ...(config.url && { url: { allowed_ports, ...config.url } }) };
  const webhooks = new Webhooks({
    config: { graphs: { g: 'g' }, webhooks: rules, http },
    env: {},
    timeoutMs,
    resolve,
    privateAddresses: readPrivateAddresses('SETTING', privateAddresses),
    app: app && { fetch: app },
  });
  opened.push(webhooks);
  return { webhooks, asked };
}

const ended = (webhook: string): EndedRun => ({
  run_id: '0195',
  thread_id: 't',
  assistant_id: 'a',
  metadata: {},
  status: 'success',
  multitask_strategy: 'enqueue',
  created_at: 'c',
  updated_at: 'u',
  langsmith_session_name: null,
  run_started_at: 's',
  run_ended_at: 'e',
  values: { secret: 1 },
  error: null,
  kwargs: {
    webhook,
    input: 1,
    config: {
      configurable: { langgraph_auth_user: { token: 'x' }, langgraph_auth_user_id: 'ada', user_id: 'ada' },
    },
  } as unknown as EndedRun['kwargs'],
});

const port = () => new URL(receiver.url).port;

describe('a name that changes its address', () => {
  test('is refused if it resolves to a private address at the time of sending', async () => {
    const { webhooks } = open({
      config: { url: { disable_private_ips: true } },
      names: { 'rebind.test': ['93.184.216.34', '127.0.0.1'] },
    });
    const url = `http://rebind.test:${port()}/`;
    expect(await webhooks.accept(url)).toBe(url);
    await expect(webhooks.send(ended(url))).rejects.toThrow('webhook leads to a private address');
    expect(receiver.received).toEqual([]);
  });

  test('is refused at request time if it is already private; an unknown name is accepted', async () => {
    const { webhooks } = open({
      config: { url: { disable_private_ips: true } },
      names: { 'inner.test': ['10.0.0.1'] },
    });
    await expect(webhooks.accept('http://inner.test/')).rejects.toThrow('private');
    expect(await webhooks.accept('http://unknown.test/')).toBe('http://unknown.test/');
  });

  test('is resolved once: the checked address is the one connected to', async () => {
    const { webhooks, asked } = open({ names: { 'once.test': ['127.0.0.1', '169.254.169.254'] } });
    expect((await webhooks.send(ended(`http://once.test:${port()}/`))).status).toBe(200);
    expect(asked).toEqual(['once.test']);
    expect(receiver.received).toHaveLength(1);
  });

  test('is refused for a deployment if it resolves or redirects to loopback', async () => {
    const names = {
      'rebind.test': ['93.184.216.34', '127.0.0.1'],
      'localhost.': ['127.0.0.1'],
      'allowed.test': ['127.0.0.1'],
    };
    const { webhooks } = open({ names, privateAddresses: 'allowed.test' });
    const rebound = `http://rebind.test:${port()}/`;
    expect(await webhooks.accept(rebound)).toBe(rebound);
    await expect(webhooks.send(ended(rebound))).rejects.toThrow('private address');
    await expect(webhooks.accept(`http://localhost.:${port()}/`)).rejects.toThrow('private address');
    expect(receiver.received).toEqual([]);
    const allowed = `http://allowed.test:${port()}/`;
    expect((await webhooks.send(ended(allowed))).status).toBe(200);
    for (const location of ['http://2130706433/', 'http://[::ffff:7f00:1]/', rebound]) {
      receiver.answer = (_one, response) => response.writeHead(307, { location }).end();
      await expect(webhooks.send(ended(allowed))).rejects.toThrow('private address');
    }
  });

  test('a relative URL names no other host, whatever characters URL parsers skip', async () => {
    const { webhooks } = open({
      config: { headers: { 'x-secret': 'of the project' } },
      app: () => new Response(null, { status: 307, headers: { location: 'next' } }),
    });
    await expect(webhooks.send(ended(`/\t/127.0.0.1:${port()}/in`))).rejects.toThrow('is not a URL');
    expect(receiver.received).toEqual([]);
  });

  test('one bad address among good ones is enough', async () => {
    const webhooks = new Webhooks({
      config: { graphs: { g: 'g' } },
      env: {},
      timeoutMs: 60_000,
      resolve: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ],
    });
    opened.push(webhooks);
    await expect(webhooks.send(ended(`http://mixed.test:${port()}/`))).rejects.toThrow('link-local');
  });
});

describe('redirects', () => {
  const redirect = (location: string, status = 302) => {
    receiver.answer = (one, response) =>
      one.path === '/start' ? response.writeHead(status, { location }).end() : answerOk(one, response);
  };
  const start = () => `${receiver.url}/start`;

  test.each([301, 302, 303, 307, 308])('%d repeats the POST', async (status) => {
    redirect('/end?a=1', status);
    expect((await open().webhooks.send(ended(start()))).status).toBe(200);
    const [first, second] = receiver.received;
    expect(second).toMatchObject({ method: 'POST', path: '/end?a=1', text: first!.text });
    expect(second!.headers['webhook-id']).toBe('0195');
  });

  test.each([
    ['http://169.254.169.254/latest/meta-data', 'link-local'],
    ['http://inner.test/', 'link-local'],
    ['http://other.test/', 'domain'],
    ['file:///etc/passwd', 'http or https'],
    ['http://[broken', 'invalid URL'],
  ])('to %s is refused', async (location, why) => {
    redirect(location);
    const config = { url: { allowed_domains: ['127.0.0.1', '169.254.169.254', 'inner.test'] } };
    const { webhooks } = open({
      config,
      names: { 'inner.test': ['169.254.1.1'], 'other.test': ['127.0.0.1'] },
    });
    await expect(webhooks.send(ended(start()))).rejects.toThrow(why);
    expect(receiver.received).toHaveLength(1);
  });

  test('stop after five', async () => {
    receiver.answer = (_one, response) => void response.writeHead(302, { location: '/start' }).end();
    await expect(open().webhooks.send(ended(start()))).rejects.toThrow('more than 5');
    expect(receiver.received).toHaveLength(6);
  });

  test('to another host drop the configured headers', async () => {
    redirect(`http://other.test:${port()}/end`);
    const { webhooks } = open({
      config: { headers: { 'X-Key': 'k' } },
      names: { 'other.test': ['127.0.0.1'] },
    });
    await webhooks.send(ended(start()));
    expect(receiver.received.map(({ headers }) => headers['x-key'])).toEqual(['k', undefined]);
  });
});

describe('a relative URL', () => {
  test("calls the project's own app", async () => {
    const seen: unknown[] = [];
    const app = async (request: Request) => {
      seen.push([
        request.method,
        new URL(request.url).pathname + new URL(request.url).search,
        await request.json(),
      ]);
      return new Response(null, { status: 204 });
    };
    const { webhooks } = open({
      app,
      config: { url: { require_https: true, allowed_domains: ['example.com'] } },
    });
    expect(await webhooks.accept('/done?token=x')).toBe('/done?token=x');
    expect((await webhooks.send(ended('/done?token=x'))).status).toBe(204);
    expect(seen).toEqual([['POST', '/done?token=x', expect.objectContaining({ run_id: '0195' })]]);
  });

  test("follows the app's redirects, which may lead outside", async () => {
    const app = (request: Request) =>
      new Response(null, {
        status: 307,
        headers: { location: request.url.endsWith('/two') ? `${receiver.url}/out` : '/two' },
      });
    expect((await open({ app }).webhooks.send(ended('/one'))).status).toBe(200);
    expect(receiver.received[0]?.path).toBe('/out');
  });

  test('is refused without an app, or if the project disables it', async () => {
    await expect(open().webhooks.accept('/done')).rejects.toThrow('needs an http.app');
    const { webhooks } = open({ app: () => new Response(), config: { url: { disable_loopback: true } } });
    await expect(webhooks.accept('/done')).rejects.toThrow('relative');
    await expect(webhooks.send(ended('/done'))).rejects.toThrow('relative');
  });

  test('an app that never responds is a timeout', async () => {
    const { webhooks } = open({ app: () => new Promise<Response>(() => {}), timeoutMs: 100 });
    await expect(webhooks.send(ended('/done'))).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

test('a receiver that never responds is a timeout, an unreachable one a network error', async () => {
  receiver.answer = () => {};
  const hasty = open({ timeoutMs: 200 }).webhooks;
  await expect(hasty.send(ended(receiver.url))).rejects.toMatchObject({ name: 'TimeoutError' });
  const gone = open().webhooks.send(ended('http://127.0.0.1:1/'));
  await expect(gone).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('credentials in the URL become an authorization header', async () => {
  await open().webhooks.send(ended(receiver.url.replace('//', '//ada:p%40ss@')));
  expect(receiver.received[0]!.headers.authorization).toBe(
    `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
  );
});

test('the payload has only fields that the project allows, and no credentials of the caller', async () => {
  const { webhooks } = open({
    config: { allowed_fields: ['run_id', 'status', 'kwargs', 'webhook_sent_at'] },
  });
  await webhooks.send(ended(receiver.url));
  const { json } = receiver.received[0]!;
  expect(Object.keys(json).toSorted()).toEqual(['kwargs', 'run_id', 'status', 'webhook_sent_at']);
  expect(json.kwargs.config.configurable).toEqual({ user_id: 'ada' });
});

test('if disabled, the field is ignored', async () => {
  const { webhooks } = open({ http: { disable_webhooks: true } });
  expect(await webhooks.accept('no url at all')).toBeUndefined();
});

test('an invalid secret prevents the start, without revealing it', () => {
  const make = () =>
    new Webhooks({ config: { graphs: {} }, env: {}, timeoutMs: 1, secret: 'whsec_*sesame*' });
  expect(make).toThrow(/^SLIPWAY_WEBHOOK_SECRET is not usable/);
  expect(make).not.toThrow(/sesame/);
});

test.each([
  ['no rules for addresses', undefined, []],
  ['rules without ports', { require_https: false }, ['http://a.test:8080', 'https://a.test:8443']],
  [
    'ports of their own',
    { allowed_ports: [8080] },
    ['https://a.test:8443', 'https://a.test', 'http://a.test'],
  ],
])(
  'a project with %s sends to their ports alone, by default those of the schemes',
  async (_name, url, refused) => {
    const config = { graphs: { g: 'g' }, ...(url && { webhooks: { url } }) };
    const webhooks = new Webhooks({ config, env: {}, timeoutMs: 1_000, resolve: () => Promise.resolve([]) });
    opened.push(webhooks);
    const all = ['http://a.test', 'https://a.test', 'http://a.test:8080', 'https://a.test:8443'];
    const found = new Set<string>();
    for (const target of all) await webhooks.accept(target).catch(() => found.add(target));
    expect(found).toEqual(new Set(refused));
  },
);
