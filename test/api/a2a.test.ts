import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { A2aCaller, data, text } from './a2a-caller.ts';
import { makeGate } from '../support/gate.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } });
const agent = new A2aCaller(() => api.url);
const rpc = agent.rpc;
const send = (assistant: string, parts: object[], rest?: object, options?: object) =>
  agent.send('message/send', assistant, parts, rest, options);

describe('HTTP', () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: {} };

  test('JSON-RPC errors have status 200 and their codes', async () => {
    const accept = { accept: 'application/json' };
    const parse = await api.post('/a2a/echo', '{"jsonrpc":', accept);
    expect([parse.status, parse.json]).toMatchObject([200, { id: null, error: { code: -32_700 } }]);
    for (const [broken, id] of [
      [[], null],
      [[body], null],
      [{ ...body, id: {} }, null],
      [{ ...body, id: 1.5 }, null],
      [{ ...body, jsonrpc: '1.0' }, 1],
      [{ ...body, id: 'mine', method: 7 }, 'mine'],
      [{ ...body, params: [] }, 1],
    ]) {
      const { status, json } = await api.post('/a2a/echo', broken, accept);
      expect([status, json]).toMatchObject([200, { id, error: { code: -32_600 } }]);
    }
    expect(await rpc('echo', 'tasks/dream')).toMatchObject({ id: 1, error: { code: -32_601 } });
    expect(await rpc('echo', 'tasks/get', {})).toMatchObject({ error: { code: -32_602 } });
  });

  test('an invalid Accept gets 400, an unknown assistant 404, DELETE 405; a trailing slash is fine', async () => {
    expect(await api.post('/a2a/echo', body, { accept: 'text/html' })).toMatchObject({ status: 400 });
    expect(await api.post('/a2a/nobody', body, { accept: 'application/json' })).toMatchObject({
      status: 404,
    });
    // The default of fetch.
    expect(await api.post('/a2a/echo', body)).toMatchObject({ status: 200 });
    expect(await api.delete('/a2a/echo')).toMatchObject({ status: 405 });
    const slash = await api.post('/a2a/echo/', body, { accept: 'application/json' });
    expect(slash).toMatchObject({ status: 200, json: { error: { code: -32_602 } } });
  });

  test('the requested version must exist and have the method', async () => {
    const asked = async (version: string, method: string, query = '') => {
      const headers = { accept: 'application/json', 'a2a-version': version };
      return (await api.post(`/a2a/echo${query}`, { ...body, method }, headers)).json.error;
    };
    const invalid = { code: -32_602 };
    for (const [version, method] of [
      ['0.3', 'tasks/get'],
      ['0.3.0', 'tasks/get'],
      ['1.0', 'GetTask'],
      ['', 'GetTask'],
    ] as const)
      expect(await asked(version, method)).toMatchObject(invalid);
    expect(await asked('2.0', 'GetTask')).toMatchObject({ code: -32_009 });
    expect(await asked('one', 'tasks/get')).toMatchObject({ code: -32_009 });
    expect(await asked('', 'GetTask', '?A2A-Version=0.9')).toMatchObject({ code: -32_009 });
    expect(await asked('1.0', 'tasks/get')).toMatchObject({ code: -32_601 });
    expect(await asked('0.3', 'GetTask')).toMatchObject({ code: -32_601 });
  });

  test('protocol errors have the details that A2A 1.0 requires', async () => {
    const info = (reason: string, metadata?: object) => [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'a2a-protocol.org',
        ...(metadata && { metadata }),
      },
    ];
    const message = { role: 'ROLE_USER', messageId: 'm', parts: [{ url: 'https://example.com/a.png' }] };
    for (const [method, params, code, data] of [
      ['GetTask', { id: 'none' }, -32_001, info('TASK_NOT_FOUND', { taskId: 'none' })],
      ['CreateTaskPushNotificationConfig', {}, -32_003, info('PUSH_NOTIFICATION_NOT_SUPPORTED')],
      ['GetExtendedAgentCard', {}, -32_004, info('UNSUPPORTED_OPERATION')],
      ['SendMessage', { message }, -32_005, info('CONTENT_TYPE_NOT_SUPPORTED')],
    ] as const)
      expect((await rpc('echo', method, params)).error).toEqual({ code, message: expect.any(String), data });
    expect((await rpc('echo', 'GetTask', {})).error).not.toHaveProperty('data');
  });

  test('clients that accept only streams receive errors in a stream', async () => {
    const answer = await api.post(
      '/a2a/echo',
      { ...body, method: 'message/stream' },
      { accept: 'text/event-stream' },
    );
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(agent.frames(answer.text)).toMatchObject([{ id: 1, error: { code: -32_602 } }]);
  });
});

describe('cards', () => {
  test('every path returns the card, with the URL the caller used', async () => {
    const paths = ['/a2a/echo', '/a2a/echo/.well-known/agent-card.json', '/a2a/echo/.well-known/agent.json'];
    for (const path of [...paths, '/.well-known/agent-card.json?assistant_id=echo']) {
      const { json } = await api.get(path);
      expect(json).toMatchObject({
        name: 'echo',
        description: 'Answers with what it is given',
        url: expect.stringMatching(new RegExp(`^${api.url}/a2a/[0-9a-f-]{36}$`)),
        version: '1',
        preferredTransport: 'JSONRPC',
        supportedInterfaces: [{ url: json.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
        defaultInputModes: ['application/json', 'text/plain'],
        defaultOutputModes: ['application/json', 'text/plain'],
        skills: [{ id: expect.any(String), name: 'echo', tags: expect.any(Array) }],
      });
    }
    const { status, json } = await api.get('/.well-known/agent-card.json');
    expect([status, json]).toEqual([400, { detail: 'assistant_id is required' }]);
    expect(await api.get('/a2a/nobody')).toMatchObject({ status: 404 });
  });

  test('the extended card is refused, because the card declares none', async () => {
    const { json: card } = await api.get('/a2a/echo');
    expect(card.capabilities.extendedAgentCard ?? false).toBe(false);
    for (const method of ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard'])
      expect((await rpc('echo', method)).error.code).toBe(-32_004);
  });

  test('the card can be cached and revalidated', async () => {
    const made = await api.post('/assistants', { graph_id: 'echo', name: 'kept' });
    const path = `/a2a/${made.json.assistant_id}/.well-known/agent-card.json`;
    const first = await api.get(path);
    const etag = first.headers.get('etag')!;
    expect([etag, first.headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^"[\w-]+"$/),
      'private, max-age=60',
    ]);
    const same = await api.get(path, { 'if-none-match': etag });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
    await api.patch(`/assistants/${made.json.assistant_id}`, { name: 'renamed' });
    expect(await api.get(path, { 'if-none-match': etag })).toMatchObject({
      status: 200,
      json: { name: 'renamed' },
    });
  });

  test("behind a proxy the card has the proxy's URL", async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agents.example.com, inner' };
    const { json } = await api.get('/a2a/echo', headers);
    expect(json.url).toMatch(/^https:\/\/agents\.example\.com\/a2a\//);
    expect(json.supportedInterfaces[0].url).toBe(json.url);
  });

  test('behind a gateway the card includes the stripped prefix, and ignores invalid prefixes', async () => {
    const { json } = await api.get('/a2a/echo', { 'x-forwarded-prefix': '/d/one' });
    expect(json.url).toMatch(new RegExp(`^${api.url}/d/one/a2a/`));
    const strange = { 'x-forwarded-prefix': '//evil"', 'x-forwarded-host': 'a/b' };
    expect((await api.get('/a2a/echo', strange)).json.url).toMatch(new RegExp(`^${api.url}/a2a/`));
  });

  test('an assistant declares its input and output modes', async () => {
    const metadata = { a2a: { input_modes: ['text/plain'], output_modes: ['image/png'] } };
    const made = await api.post('/assistants', { graph_id: 'echo', name: 'painter', metadata });
    const { json } = await api.get(`/a2a/${made.json.assistant_id}`);
    expect(json).toMatchObject({ defaultInputModes: ['text/plain'], defaultOutputModes: ['image/png'] });
  });
});

describe('messages', () => {
  test('text becomes a message to the graph; its answer is an artifact and in the history', async () => {
    const { result } = await send('echo', [text('hello'), text('you')]);
    expect(result).toEqual({
      kind: 'task',
      id: expect.stringMatching(new RegExp(`^${result.contextId}:[0-9a-f-]{36}$`)),
      contextId: expect.any(String),
      status: { state: 'completed', timestamp: expect.stringMatching(/Z$/) },
      history: [
        {
          kind: 'message',
          role: 'user',
          messageId: 'm-1',
          parts: [text('hello\nyou')],
          contextId: result.contextId,
          taskId: result.id,
        },
        {
          kind: 'message',
          role: 'agent',
          messageId: expect.any(String),
          parts: [text('echo: hello\nyou')],
          contextId: result.contextId,
          taskId: result.id,
        },
      ],
      artifacts: [
        {
          artifactId: expect.any(String),
          name: 'Assistant Response',
          description: expect.any(String),
          parts: [text('echo: hello\nyou')],
        },
      ],
    });
  });

  test('data becomes the input, and the output of a graph without messages is data', async () => {
    const { result } = await send('typed', [data({ city: 'Oslo' }), data({ days: 1 })]);
    expect(result.artifacts[0].parts).toEqual([
      data({ city: 'Oslo', days: 1, forecast: ['Oslo, day 1: sunny'] }),
    ]);
  });

  test('a context is a thread, created on demand, that keeps its state', async () => {
    const contextId = randomUUID();
    const first = await send('echo', [text('one')], { contextId });
    expect(first.result.contextId).toBe(contextId);
    const second = await send('echo', [text('two')], { contextId });
    expect(second.result.id).not.toBe(first.result.id);
    expect(second.result.history.map(({ parts }: any) => parts[0].text)).toEqual(['two', 'echo: two']);
    const { json } = await api.get(`/threads/${contextId}/state`);
    expect(json.values.messages.map(({ content }: any) => content)).toEqual([
      'one',
      'echo: one',
      'two',
      'echo: two',
    ]);
    // The first task still shows its contents.
    const { result } = await rpc('echo', 'tasks/get', { id: first.result.id });
    expect(result).toMatchObject({
      status: { state: 'completed' },
      artifacts: [{ parts: [text('echo: one')] }],
    });
    expect(result.history.map(({ parts }: any) => parts[0].text)).toEqual(['one', 'echo: one']);
  });

  test('context reaches the graph; historyLength limits the history; non-blocking calls return immediately', async () => {
    const { result } = await send('factory', [data({})], {}, { context: { flavour: 'mint' } });
    expect(result.artifacts[0].parts[0].data.node).toBe('mint');
    const cut = await send('echo', [text('hi')], {}, { configuration: { historyLength: 1 } });
    expect(cut.result.history).toMatchObject([{ role: 'agent' }]);
    const none = await send('echo', [text('hi')], {}, { configuration: { historyLength: 0 } });
    expect(none.result.history).toEqual([]);
    const soon = await send('sleepy', [data({ ms: 60_000 })], {}, { configuration: { blocking: false } });
    expect(soon.result.status.state).toBe('submitted');
    expect((await rpc('sleepy', 'tasks/cancel', { id: soon.result.id })).result.status.state).toBe(
      'canceled',
    );
  });

  test('a failed run is a failed task, without internal details', async () => {
    const answer = await send('boom', [data({})]);
    expect(answer.result.status).toMatchObject({
      state: 'failed',
      message: { role: 'agent', parts: [{ kind: 'text', text: expect.stringContaining('Error: ') }] },
    });
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|db\.internal/);
  });

  test('incomplete and invalid messages are rejected', async () => {
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [text('x')] };
    const wrong = [
      {},
      { message: { ...message, role: undefined } },
      { message: { ...message, role: 'system' } },
      { message: { ...message, parts: [] } },
      { message: { ...message, parts: undefined } },
      { message: { ...message, parts: [{ kind: 'text' }] } },
      { message: { ...message, parts: [{ kind: 'data', data: 'no object' }] } },
      { message: { ...message, parts: [{}] } },
      { message: { ...message, messageId: undefined } },
      { message: { ...message, messageId: '' } },
      { message: { ...message, contextId: 'no-uuid' } },
      { message, configuration: { historyLength: 11 } },
      { message, configuration: { historyLength: -1 } },
      { message, context: 'text' },
    ];
    for (const method of ['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'])
      for (const params of wrong) {
        const { error } = await rpc('echo', method, params);
        expect([params, error?.code]).toEqual([params, -32_602]);
      }
    const noMessages = await send('typed', [text('words')]);
    expect(noMessages.error.code).toBe(-32_602);
    const file = { kind: 'file', file: { uri: 'https://example.com/a.png' } };
    expect((await send('echo', [file])).error.code).toBe(-32_005);
    const push = { pushNotificationConfig: { url: 'https://example.com' } };
    expect((await send('echo', [text('x')], {}, { configuration: push })).error.code).toBe(-32_003);
    expect((await rpc('echo', 'tasks/pushNotificationConfig/set', {})).error.code).toBe(-32_003);
  });
});

describe('streams', () => {
  test('streams a task from its first to its last state', async () => {
    const last = makeGate();
    const parts = [data({ tokens: 4, until: last.file })];
    const params = { message: { kind: 'message', role: 'user', messageId: 'm', parts } };
    const stream = await agent.open('tokens', 'message/stream', params);
    await stream.until('the message so far', (text) => text.includes('"t0 t1 t2"'));
    last.open();
    const results = agent.results(await stream.whole());
    expect(results[0]).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
    const [{ id: taskId, contextId }] = results as any;
    const working = results.filter(({ status }) => status?.state === 'working' && status.message);
    const texts = working.map(({ status }) => status.message.parts[0].text);
    expect(texts.at(-1)).toBe('t0 t1 t2 t3');
    expect(texts.length).toBeGreaterThan(1);
    for (const [index, part] of texts.entries()) expect(part.startsWith(texts[index - 1] ?? '')).toBe(true);
    expect(results.at(-2)).toMatchObject({
      kind: 'artifact-update',
      taskId,
      contextId,
      artifact: { name: 'Assistant Response', parts: [text('t0 t1 t2 t3')] },
      append: false,
      lastChunk: true,
    });
    expect(results.at(-1)).toMatchObject({
      kind: 'status-update',
      taskId,
      contextId,
      status: { state: 'completed' },
      final: true,
    });
    expect(results.filter(({ final }) => final === true)).toHaveLength(1);
  });

  test('ends with an artifact and state for an interrupt, and a state for a failure', async () => {
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [data({ topic: 'boats' })] };
    const results = await agent.stream('approval', 'message/stream', { message });
    const value = { question: 'Publish?', draft: 'About boats' };
    expect(results.at(-2)).toMatchObject({
      kind: 'artifact-update',
      artifact: { name: 'Interrupt', parts: [data({ id: expect.any(String), value })] },
    });
    expect(results.at(-1)).toMatchObject({ status: { state: 'input-required' }, final: true });
    const failed = await agent.stream('boom', 'message/stream', { message });
    expect(failed.at(-1)).toMatchObject({ status: { state: 'failed' }, final: true });
  });

  test('version 1.0 wraps events', async () => {
    const params = { message: { role: 'ROLE_USER', messageId: 'm', parts: [{ data: { tokens: 2 } }] } };
    const results = await agent.stream('tokens', 'SendStreamingMessage', params);
    expect(results[0]).toMatchObject({ task: { status: { state: 'TASK_STATE_SUBMITTED' } } });
    expect(results.at(-2)).toMatchObject({ artifactUpdate: { artifact: { parts: [{ text: 't0 t1' }] } } });
    expect(results.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(JSON.stringify(results)).not.toMatch(/"kind"|"final"/);
  });

  test('a client that reconnects receives the rest', async () => {
    const gate = makeGate();
    const parts = [data({ ms: 0, until: gate.file })];
    const started = await send('sleepy', parts, {}, { configuration: { blocking: false } });
    const stream = await agent.open('sleepy', 'tasks/resubscribe', { id: started.result.id });
    gate.open();
    const results = agent.results(await stream.whole());
    expect(results[0]).toMatchObject({ kind: 'task', id: started.result.id });
    expect(results.at(-1)).toMatchObject({ status: { state: 'completed' }, final: true });
    const late = await rpc('sleepy', 'tasks/resubscribe', { id: started.result.id });
    expect(late.error.code).toBe(-32_004);
  });
});
