import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Exchange } from '../../src/graph-protocol/exchange.ts';
import { RemoteError } from '../../src/graph-protocol/remote-error.ts';
import { MemoryServer } from '../support/memory-server.ts';
import { kinds, type LoadedHost, startLoaded } from './graph-host/hosts.ts';
import { runOn } from './graph-host/run-on-host.ts';

const alice = {
  identity: 'alice',
  display_name: 'ALICE',
  is_authenticated: true,
  permissions: ['write'],
  department: 'R&D',
};

interface Head {
  status?: number;
  headers: [string, string][];
  passed_on?: true;
  body?: true;
}

describe.each(kinds)('other parts of a project in a $language host over $transport', (kind) => {
  const server = new MemoryServer();
  let host: LoadedHost;

  beforeAll(async () => {
    host = await startLoaded(kind, server, kind.guarded);
  });
  afterAll(async () => void (await host?.close()));
  beforeEach(() => {
    server.admit = () => alice;
  });

  const call = <Result>(method: string, params: object) => host.channel.call<Result>(method, params);

  test('are described', () => {
    const { auth, http, encryption, embed, store } = host.description;
    expect({ embed, store }).toEqual({ embed: true, store: true });
    expect([...auth!.events].sort()).toEqual(expect.arrayContaining(['*', 'store', 'threads:read']));
    expect(http).toBe(true);
    expect(encryption).toMatchObject({ json: true, blob: true });
  });

  const authenticate = (name: string) =>
    call('auth.authenticate', {
      method: 'GET',
      url: 'http://localhost/threads?a=1',
      headers: [['authorization', `Bearer ${name}`]],
    });

  test('authenticates a request', async () => {
    expect(await authenticate('alice')).toEqual(alice);
    const refusal = {
      name: 'Refused',
      message: 'Who are you?',
      details: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
    };
    await expect(authenticate('eve')).rejects.toMatchObject(refusal);
    await expect(authenticate('broken')).rejects.toMatchObject({ name: 'Refused', details: { status: 401 } });
  });

  const authorize = (
    resource: string,
    action: string,
    value: object,
    user: { permissions: string[] } = alice,
  ) =>
    call('auth.authorize', {
      event: `${resource}:${action}`,
      resource,
      action,
      value,
      user,
      permissions: user.permissions,
    });

  test('calls the most specific authorization handler', async () => {
    const value = { metadata: { a: 1 } };
    expect(await authorize('threads', 'create', value)).toEqual({
      answer: { owner: 'alice' },
      value: { metadata: { a: 1, owner: 'alice' } },
    });
    const shared = { $or: [{ owner: 'alice' }, { shared_with: { $contains: 'alice' } }] };
    expect(await authorize('threads', 'read', {})).toMatchObject({ answer: shared });
    expect(await authorize('store', 'put', { namespace: ['a'], key: 'b' })).toEqual({
      answer: null,
      value: { namespace: ['alice', 'a'], key: 'b' },
    });
    expect(await authorize('threads', 'create', {}, { ...alice, permissions: [] })).toMatchObject({
      answer: false,
    });
    const teapot = authorize('assistants', 'search', { metadata: { teapot: true } });
    await expect(teapot).rejects.toMatchObject({
      name: 'Refused',
      message: 'I am a teapot',
      details: { status: 418 },
    });
  });

  async function http(method: string, path: string, options: Record<string, unknown> = {}, body?: string) {
    const pieces: string[] = [];
    let head: Head | undefined;
    const onData = (name: string, piece: Buffer) => {
      if (name === 'head') head = JSON.parse(piece.toString()) as Head;
      else pieces.push(piece.toString());
      return undefined;
    };
    async function* input() {
      if (body !== undefined) yield Buffer.from(body);
    }
    const params = {
      method,
      url: `http://localhost:2024${path}`,
      headers: [],
      user: null,
      env: {},
      ...options,
    };
    await host.channel.call('http', params, { onData, input: input() });
    return { ...head!, headers: Object.fromEntries(head!.headers), text: pieces.join(''), pieces };
  }

  test("answers requests to the application's routes", async () => {
    expect(await call('http.match', { method: 'GET', path: '/custom/hello' })).toEqual({
      owns: true,
      watches: true,
    });
    expect(await call('http.match', { method: 'POST', path: '/custom/hello' })).toMatchObject({
      owns: false,
    });
    expect(await call('http.match', { method: 'GET', path: '/threads' })).toEqual({
      owns: false,
      watches: true,
    });
    const hello = await http('GET', '/custom/hello');
    expect(hello).toMatchObject({
      status: 200,
      headers: { 'x-middleware': 'seen' },
      text: '{"hello":"stranger"}',
    });
    expect((await http('GET', '/custom/hello', { user: alice })).text).toBe('{"hello":"alice"}');
    expect(await http('POST', '/custom/echo', {}, 'words')).toMatchObject({ status: 201, text: 'words' });
    expect(await http('GET', '/custom/empty')).toMatchObject({ status: 204, text: '' });
    expect(await http('GET', '/custom/teapot')).toMatchObject({ status: 418, text: 'short and stout' });
    expect((await http('GET', '/custom/stream')).pieces).toEqual(['one\n', 'two\n', 'three\n']);
    expect(await http('GET', '/custom/nothing')).toMatchObject({ passed_on: true, text: '' });
  });

  test("responds before the application's background tasks end", async () => {
    const began = performance.now();
    expect(await http('GET', '/custom/late')).toMatchObject({ status: 200, text: '{"late":true}' });
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test('has the server authenticate requests after the middleware', async () => {
    expect((await http('GET', '/custom/hello', { admit: true })).text).toBe('{"hello":"alice"}');
    server.admit = () => {
      throw new RemoteError({ error: 'Refused', message: 'not you', status: 403 });
    };
    const refused = http('GET', '/custom/hello', { admit: true });
    await expect(refused).rejects.toMatchObject({
      name: 'Refused',
      message: 'not you',
      details: { status: 403 },
    });
    const headers = [['x-blocked', '1']];
    expect(await http('GET', '/custom/hello', { admit: true, headers })).toMatchObject({
      status: 403,
      text: '{"blocked":true}',
    });
  });

  test("passes requests to the server's routes through the middleware", async () => {
    const passed = { passed_on: true, headers: { 'x-middleware': 'seen' } };
    const untouched = await http('POST', '/threads', { watch: true }, '{"a":1}');
    expect(untouched).toMatchObject({ ...passed, text: '' });
    expect(untouched.body).toBeUndefined();
    for (const [how, text] of [
      ['read', { a: 1 }],
      ['take', { a: 1 }],
      ['change', { a: 1, metadata: { added: 'by middleware' } }],
    ] as const) {
      const read = await http('POST', '/threads', { watch: true, headers: [['x-body', how]] }, '{"a":1}');
      expect(read).toMatchObject({ passed_on: true, body: true, headers: { 'x-body-keys': 'a' } });
      expect(JSON.parse(read.text)).toEqual(text);
    }
    const blocked = await http('GET', '/threads', { watch: true, headers: [['x-blocked', '1']] });
    expect(blocked).toMatchObject({ status: 403, text: '{"blocked":true}' });
  });

  test.each(['json', 'blob'])('encrypts and decrypts %s', async (type) => {
    const data = type === 'json' ? { secret_a: 'x', open: 1 } : Buffer.from('hello').toString('base64');
    const context = { model: 'thread', field: 'values', metadata: { tenant: 'acme' } };
    const sealed = await call<object>('encryption.apply', {
      operation: 'encrypt',
      kind: type,
      context,
      data,
    });
    expect(sealed).not.toEqual(data);
    expect(
      await call('encryption.apply', { operation: 'decrypt', kind: type, context, data: sealed }),
    ).toEqual(data);
  });

  test('computes embeddings', async () => {
    const vectors = [
      [1, 1],
      [3, 1],
    ];
    expect(await call('embed', { texts: ['a', 'abc'], kind: 'documents' })).toEqual({ vectors });
    expect(await call('embed', { texts: ['ab'], kind: 'query' })).toEqual({ vectors: [[2, 1]] });
  });

  test("stores items in the project's store", async () => {
    const item = { namespace: ['a'], key: 'k', value: { v: 1 } };
    const [put, got, found, namespaces] = await call<unknown[]>('store.batch', {
      operations: [
        { action: 'put', ...item },
        { action: 'get', namespace: ['a'], key: 'k' },
        { action: 'search', namespace_prefix: ['a'], limit: 10, offset: 0 },
        { action: 'list_namespaces', matches: [{ type: 'prefix', path: ['a'] }], limit: 10, offset: 0 },
      ],
    });
    expect(put).toBeNull();
    expect(got).toMatchObject({ ...item, created_at: expect.stringMatching(/\+00:00$/) });
    expect(found).toMatchObject([item]);
    expect(namespaces).toEqual([['a']]);
  });

  test("reaches the server's API through the SDK's client", async () => {
    const asked: unknown[] = [];
    server.fetch = async ({ method, url, user }, exchange: Exchange) => {
      let body = '';
      for await (const piece of exchange.read()) body += piece.toString();
      asked.push({ method, path: new URL(String(url)).pathname, user, body: JSON.parse(body) as unknown });
      await exchange.send(
        'head',
        JSON.stringify({ status: 200, headers: [['content-type', 'application/json']] }),
      );
      await exchange.send('body', '{"thread_id": ');
      await exchange.send('body', '"t1"}');
      return null;
    };
    const { answer } = await runOn(host, { graph_id: 'insider', input: {}, user: alice });
    expect(JSON.stringify(answer.values)).toContain('{"thread_id":"t1"}');
    expect(asked[0]).toEqual({
      method: 'POST',
      path: '/threads',
      user: alice,
      body: { metadata: { made_by: 'graph' } },
    });
  });

  test('tells a graph its user', async () => {
    const { answer } = await runOn(host, {
      graph_id: 'whoami',
      input: {},
      config: { configurable: { langgraph_auth_user: alice } },
    });
    expect(answer.values['user']).toMatchObject({
      langgraph_auth_user: { identity: 'alice', department: 'R&D' },
    });
  });
});

describe.each(kinds)('a project that a $language host cannot serve', (kind) => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'broken-project-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('is rejected with a line for each problem', async () => {
    const nowhere = `./nowhere.${kind.extension}`;
    const missing = { absent: `${nowhere}:graph`, also_absent: `${nowhere}:graph` };
    await writeFile(
      join(dir, 'langgraph.json'),
      JSON.stringify({ graphs: missing, auth: { path: `${nowhere}:auth` } }),
    );
    const error = await startLoaded(kind, new MemoryServer(), { dir, file: 'langgraph.json' }).catch(
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ name: 'InvalidProject' });
    const lines = (error as Error).message.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(`langgraph.json: graphs.absent: no such file: ${nowhere}`);
    expect(lines[1]).toContain(`langgraph.json: graphs.also_absent: no such file: ${nowhere}`);
    expect(lines[2]).toContain(`langgraph.json: auth.path: no such file: ${nowhere}`);
  });
});
