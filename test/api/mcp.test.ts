import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { openPost } from '../support/open-answer.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const rpc = (method: string, params?: object, headers: Record<string, string> = {}) =>
  api.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { accept: 'application/json', ...headers });
const ACCEPT = { accept: 'application/json, text/event-stream' };
/** A request of the protocol revision without a handshake, with the headers that repeat its contents. */
const stateless = (
  method: string,
  params: object = {},
  { version = '2026-07-28', headers = {}, meta = {} } = {},
) =>
  api.post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientCapabilities': {},
          ...meta,
        },
      },
    },
    { ...ACCEPT, 'mcp-protocol-version': version, 'mcp-method': method, ...headers },
  );
const tools = async () => (await rpc('tools/list')).json.result.tools as any[];

describe('HTTP', () => {
  test('requests get a JSON response, notifications and responses an empty one', async () => {
    const { status, json, headers } = await rpc('ping');
    expect({ status, json }).toEqual({ status: 200, json: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('mcp-session-id')).toBeNull();
    const accept = { accept: 'text/event-stream' };
    for (const message of [{ method: 'notifications/initialized' }, { id: 7, result: {} }]) {
      const taken = await api.post('/mcp', { jsonrpc: '2.0', ...message }, accept);
      expect([taken.status, taken.text]).toEqual([202, '']);
    }
  });

  test('a batch, or an Accept other than JSON, gets 400', async () => {
    const accept = { accept: 'application/json, text/event-stream' };
    const refused = [
      api.post('/mcp', '{"jsonrpc":', accept),
      api.post('/mcp', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], accept),
      api.post('/mcp', { id: 1, method: 'ping' }, accept),
      rpc('ping', undefined, { accept: 'text/html' }),
    ];
    for (const { status, json } of await Promise.all(refused))
      expect([status, json]).toEqual([400, { detail: expect.any(String) }]);
  });

  test('an unknown protocol version gets a JSON-RPC error that lists the supported ones', async () => {
    const handshakes = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
    for (const [{ status, json }, supported] of [
      [await rpc('ping', undefined, { 'mcp-protocol-version': '1999-01-01' }), ['2026-07-28', ...handshakes]],
      [await stateless('tools/list', {}, { version: '1999-01-01' }), ['2026-07-28']],
    ] as const) {
      const data = { supported, requested: '1999-01-01' };
      const error = { code: -32_022, message: 'Unsupported protocol version', data };
      expect([status, json]).toEqual([400, { jsonrpc: '2.0', id: 1, error }]);
    }
  });

  test('without auth on loopback, cross-site requests and foreign host names are refused', async () => {
    const { hostname, port } = new URL(api.url);
    const asked = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
        request({ hostname, port, path: '/mcp', method: 'POST', headers: { ...ACCEPT, ...headers } })
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(body);
      });
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '192.168.0.7',
      '0.0.0.0',
    ])
      expect([host, await asked({ host })]).toEqual([host, 403]);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'https://10.0.0.1',
    ])
      expect([origin, await asked({ origin })]).toEqual([origin, 403]);
    for (const headers of [
      { host: `localhost:${port}` },
      { host: `[::1]:${port}` },
      { origin: 'http://localhost:5173' },
      { origin: 'https://127.0.0.1' },
    ])
      expect([headers, await asked(headers)]).toEqual([headers, 200]);
  });

  test('GET and DELETE are not allowed', async () => {
    expect(await api.get('/mcp', { accept: 'text/event-stream' })).toMatchObject({ status: 405 });
    expect(await api.delete('/mcp')).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
    const slash = await api.post(
      '/mcp/',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { accept: 'application/json' },
    );
    expect(slash.json).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });
});

describe('methods', () => {
  test('initialize echoes a known version, or else offers the newest', async () => {
    for (const [asked, given] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-06-18', '2025-06-18'],
      ['2025-11-25', '2025-11-25'],
      ['2099-01-01', '2025-11-25'],
    ]) {
      const { json } = await rpc('initialize', { protocolVersion: asked, capabilities: {}, clientInfo: {} });
      expect(json.result).toEqual({
        protocolVersion: given,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'slipway', version: expect.any(String) },
      });
    }
  });

  test('unknown methods, unknown tools and invalid params have their error codes', async () => {
    expect((await rpc('resources/list')).json.error.code).toBe(-32_601);
    for (const [method, params] of [
      ['tools/call', { name: 'nobody' }],
      ['tools/call', { name: 'echo', arguments: 'text' }],
      ['tools/call', {}],
      ['tools/list', { cursor: 'strange' }],
      ['initialize', {}],
    ] as const) {
      const { status, json } = await rpc(method, params);
      expect([status, json.error?.code]).toEqual([200, -32_602]);
    }
  });
});

describe('revision 2026-07-28', () => {
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'slipway', version: expect.any(String) } };

  test('server/discover describes the server without a handshake', async () => {
    const { status, json } = await stateless('server/discover');
    expect([status, json.result]).toEqual([
      200,
      {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: false } },
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta,
      },
    ]);
  });

  test('tools are listed and called, and every result is complete', async () => {
    const { result: list } = (await stateless('tools/list')).json;
    expect(list).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta });
    expect(list.tools.map(({ name }: any) => name)).toContain('echo');
    const call = { name: 'echo', arguments: { text: 'hi' } };
    for (const name of ['echo', `=?base64?${Buffer.from('echo').toString('base64')}?=`]) {
      const { json } = await stateless('tools/call', call, { headers: { 'mcp-name': name } });
      expect(json.result).toMatchObject({ resultType: 'complete', isError: false, _meta });
      expect(JSON.parse(json.result.content[0].text).echo).toBe('hi');
    }
  });

  test('headers that differ from the body are refused', async () => {
    const call = { name: 'echo', arguments: {} };
    for (const [method, params, headers] of [
      ['tools/list', {}, { 'mcp-protocol-version': '' }],
      ['tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }],
      ['tools/list', {}, { 'mcp-method': '' }],
      ['tools/list', {}, { 'mcp-method': 'Tools/List' }],
      ['tools/call', call, {}],
      ['tools/call', call, { 'mcp-name': 'boom' }],
      ['tools/call', call, { 'mcp-name': '=?base64?ZW!Nobw==?=' }],
    ] as const) {
      const { status, json } = await stateless(method, params, { headers });
      expect([headers, status, json.error?.code]).toEqual([headers, 400, -32_020]);
    }
  });

  test('a request without metadata is invalid, a removed method is not found', async () => {
    for (const meta of [
      { 'io.modelcontextprotocol/protocolVersion': 7 },
      { 'io.modelcontextprotocol/clientCapabilities': undefined },
      { 'io.modelcontextprotocol/clientCapabilities': [] },
    ]) {
      const { status, json } = await stateless('tools/list', {}, { meta });
      expect([status, json.error?.code]).toEqual([400, -32_602]);
    }
    expect((await rpc('server/discover')).json.error.code).toBe(-32_602);
    for (const method of ['ping', 'initialize', 'resources/list', 'prompts/get']) {
      const { status, json } = await stateless(method);
      expect([status, json]).toMatchObject([404, { id: 1, error: { code: -32_601 } }]);
    }
  });

  test('a listener for changes stays connected without events', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 'mine',
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const stream = await openPost(`${api.url}/mcp`, body, { ...ACCEPT, ...headers });
    const frame = await stream.until('it is acknowledged', (text) => text.includes('\n\n'));
    expect(JSON.parse(/^data: (.*)$/m.exec(frame)![1]!)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'mine' }, notifications: {} },
    });
    stream.leave();
  });
});

describe('tools', () => {
  test('an assistant is a tool with its own or a generated description', async () => {
    const list = await tools();
    expect(list.find(({ name }) => name === 'echo')).toMatchObject({
      title: 'echo',
      description: 'Answers with what it is given',
      inputSchema: {
        type: 'object',
        properties: { messages: { type: 'array', items: { anyOf: [{ type: 'string' }, {}] } } },
      },
    });
    expect(list.find(({ name }) => name === 'steps').description).toBe('Runs the assistant steps');
    expect(list.find(({ name }) => name === 'typed').inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
    });
    for (const { inputSchema } of list) expect(inputSchema.type).toBe('object');
  });

  test('tool names are valid, unique, and map back to their assistants', async () => {
    const given = ['Wetter für Köln', 'Wetter für Köln', '日本', 'x'.repeat(300), 'echo'];
    const made = [];
    for (const name of given)
      made.push((await api.post('/assistants', { graph_id: 'echo', name, metadata: { of: 'names' } })).json);
    // Resembles the tool name of another assistant, id included.
    const impostor = { graph_id: 'boom', name: `Wetter_fr_Kln_${made[1].assistant_id}` };
    made.push((await api.post('/assistants', impostor)).json);
    const names = (await tools()).map(({ name }) => name as string);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
    expect(names).toEqual(
      expect.arrayContaining([
        'Wetter_fr_Kln',
        `Wetter_fr_Kln_${made[1].assistant_id}`,
        'assistant',
        'x'.repeat(128),
      ]),
    );
    const { json } = await rpc('tools/call', {
      name: `Wetter_fr_Kln_${made[1].assistant_id}`,
      arguments: { text: 'sonnig' },
    });
    expect(json.result).toMatchObject({ isError: false });
    for (const { assistant_id } of made) await api.delete(`/assistants/${assistant_id}`);
  });

  test('long lists are paginated', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 110; index++) {
      const made = await api.post('/assistants', { graph_id: 'echo', name: `many-${index}` });
      ids.push(made.json.assistant_id);
    }
    const first = (await rpc('tools/list')).json.result;
    expect(first.tools).toHaveLength(100);
    const second = (await rpc('tools/list', { cursor: first.nextCursor })).json.result;
    expect(second).not.toHaveProperty('nextCursor');
    const names = [...first.tools, ...second.tools].map(({ name }: any) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['many-0', 'many-109']));
    for (const id of ids) await api.delete(`/assistants/${id}`);
  });
});

describe('calls', () => {
  const call = async (name: string, args?: object, rest: object = {}) =>
    (await rpc('tools/call', { name, arguments: args, ...rest })).json.result;

  test('the result is the output of a threadless run', async () => {
    const result = await call('echo', { text: 'hi', messages: ['hello'] });
    expect(result).toMatchObject({ isError: false, content: [{ type: 'text' }] });
    const output = JSON.parse(result.content[0].text);
    expect(output.echo).toBe('hi');
    expect(output.messages.at(-1)).toMatchObject({ type: 'ai', content: 'echo: hello' });
    expect((await api.post('/threads/count', {})).json).toBe(0);
  });

  test('context reaches the graph', async () => {
    const { content } = await call('factory', {}, { context: { flavour: 'mint' } });
    expect(content[0].text).toContain('"node":"mint"');
  });

  test('a failed run is a tool error without internal details', async () => {
    const result = await call('boom', {});
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('Error: ') }],
    });
    expect(JSON.stringify(result)).not.toMatch(/hunter2|db\.internal/);
    expect(await call('boom', { kind: 'custom' })).toMatchObject({
      content: [{ text: 'DriverFailure: An internal error occurred' }],
    });
  });
});
