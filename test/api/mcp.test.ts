import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const rpc = (method: string, params?: object, headers: Record<string, string> = {}) =>
  api.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { accept: 'application/json', ...headers });
const tools = async () => (await rpc('tools/list')).json.result.tools as any[];

describe('HTTP', () => {
  test('a request is answered with JSON, a notification or a response with nothing', async () => {
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

  test('what is not one message, or asks for another answer than JSON, is a 400', async () => {
    const accept = { accept: 'application/json, text/event-stream' };
    const refused = [
      api.post('/mcp', '{"jsonrpc":', accept),
      api.post('/mcp', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], accept),
      api.post('/mcp', { id: 1, method: 'ping' }, accept),
      rpc('ping', undefined, { accept: 'text/html' }),
      rpc('ping', undefined, { 'mcp-protocol-version': '1999-01-01' }),
    ];
    for (const { status, json } of await Promise.all(refused))
      expect([status, json]).toEqual([400, { detail: expect.any(String) }]);
  });

  test('there is no stream to get and no session to delete', async () => {
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
  test('initialize echoes a version that is known, and offers the newest otherwise', async () => {
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

  test('unknown methods, tools and bad params have their codes', async () => {
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

describe('tools', () => {
  test('an assistant is a tool with its description, or one that names it', async () => {
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

  test('names are legal, unique, and lead back to their assistants', async () => {
    const given = ['Wetter für Köln', 'Wetter für Köln', '日本', 'x'.repeat(300), 'echo'];
    const made = [];
    for (const name of given)
      made.push((await api.post('/assistants', { graph_id: 'echo', name, metadata: { of: 'names' } })).json);
    // Made to look like the name another one has for its id.
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

  test('a list of many comes in pages', async () => {
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

  test('the result is the output of a run without a thread', async () => {
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

  test('a failed run is an error of the tool, without what nobody should read', async () => {
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
