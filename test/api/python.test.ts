import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { FIXTURES } from '../support/agent-server.ts';
import { pythonServer } from '../support/python-project.ts';
import { useApi } from '../support/use-api.ts';
import { A2aCaller, text } from './a2a-caller.ts';
import { command, isRootEnd, newThread as newProtocolThread, openEvents } from './protocol-client.ts';
import { framesOf } from './streams-frames.ts';

const server = await pythonServer();

describe('a Python project', () => {
  const api = useApi(server);
  const newThread = async () => `/threads/${(await api.post('/threads', {})).json.thread_id}`;

  test('waits for a run', async () => {
    const messages = [{ type: 'human', content: 'hello', id: 'm1' }];
    const { status, json } = await api.post('/runs/wait', {
      assistant_id: 'echo',
      input: { text: 'hi', messages },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      echo: 'hi',
      messages: [{ content: 'hello' }, { type: 'ai', content: 'echo: hello' }],
    });
  });

  test('returns only the fields of the output schema', async () => {
    const run = { assistant_id: 'typed', input: { city: 'Bern' } };
    const thread = await newThread();
    const { json } = await api.post(`${thread}/runs/wait`, run);
    expect(json).toEqual({ forecast: ['Bern, day 1: sunny'] });
    const { values } = (await api.get(`${thread}/state`)).json;
    expect(values).toEqual({ city: 'Bern', forecast: ['Bern, day 1: sunny'] });
  });

  test('streams a run in every mode', async () => {
    const engine = ['tasks', 'checkpoints', 'debug', 'events', 'values', 'updates', 'custom'];
    const stream_mode = [...engine, 'messages', 'messages-tuple'];
    const answer = await api.post(`${await newThread()}/runs/stream`, {
      assistant_id: 'tokens',
      input: { tokens: 2, events: 1 },
      stream_mode,
    });
    const frames = framesOf(answer.text);
    const events = [...engine, 'metadata', 'messages', 'messages/metadata', 'messages/partial'];
    expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(events));
    const last = (name: string) => frames.findLast(({ event }) => event === name)!.data;
    expect(last('values')).toMatchObject({ messages: [{ content: 't0 t1' }] });
    expect(last('custom')).toEqual({ index: 0, text: 'event 0' });
    expect(last('messages/partial')).toMatchObject([{ type: 'ai', content: 't0 t1' }]);
  });

  test('streams what a stream transformer adds to runs of the event protocol', async () => {
    const thread = newProtocolThread();
    const started = await command(api, thread, 'run.start', {
      assistant_id: 'transformed',
      input: { tokens: 2 },
    });
    expect(started).toMatchObject({ type: 'success' });
    const channels = ['messages', 'custom', 'lifecycle', 'tasks', 'values'];
    const reader = await openEvents(api, thread, { channels });
    await reader.until(isRootEnd);
    const of = (name: string) => reader.events.filter(({ method }) => method === name);
    const custom = of('custom').map(({ params }) => params.data);
    const steps = custom.filter(({ name }) => name === 'steps');
    expect(steps.map(({ payload }) => payload)).toEqual([{ step: 'talk' }, { step: 'child' }]);
    expect(custom.filter(({ name }) => name === 'progress')).toHaveLength(2);
    const deltas = of('messages').map(({ params }) => params.data.delta?.text ?? '');
    expect(deltas.join('')).toBe('t0 t1t0 t1');
    const tasks = of('tasks').map(({ params: { namespace, data } }) => [namespace.length, data.name]);
    expect(tasks.map(String)).toEqual(expect.arrayContaining(['0,talk', '0,child', '1,inner']));
    expect(of('values').at(-1)!.params.data).toMatchObject({ tokens: 2, messages: [{}, {}] });
    reader.close();
  });

  test('interrupts a run, and resumes it', async () => {
    const thread = await newThread();
    const wait = (body: object) => api.post(`${thread}/runs/wait`, { assistant_id: 'approval', ...body });
    expect((await wait({ input: { topic: 'tea' } })).json.__interrupt__).toMatchObject([
      { value: { question: 'Publish?', draft: 'About tea' } },
    ]);
    expect((await api.get(thread)).json).toMatchObject({ status: 'interrupted' });
    expect((await wait({ command: { resume: 'yes' } })).json).toMatchObject({ published: true });
    expect((await api.get(thread)).json).toMatchObject({ status: 'idle', interrupts: {} });
  });

  test('updates a state, and continues from an earlier one', async () => {
    const thread = await newThread();
    const wait = (body: object) => api.post(`${thread}/runs/wait`, { assistant_id: 'steps', ...body });
    await wait({ input: { steps: 2 } });
    const { json: history } = await api.get(`${thread}/history?limit=9`);
    const middle = history.find(({ values }: any) => values.done?.length === 1);
    expect((await wait({ checkpoint_id: middle.checkpoint_id })).json.done).toEqual([1, 2]);
    const update = { values: { done: [7] }, as_node: 'step' };
    expect((await api.post(`${thread}/state`, update)).status).toBe(200);
    expect((await api.get(`${thread}/state`)).json.values.done).toEqual([1, 2, 7]);
  });

  test('shows the state of a subgraph', async () => {
    const thread = await newThread();
    const asked = await api.post(`${thread}/runs/wait`, {
      assistant_id: 'parent',
      input: { topic: 'cats', ask: true },
    });
    expect(asked.json.__interrupt__).toMatchObject([{ value: { question: 'What about cats?' } }]);
    const { json } = await api.get(`${thread}/state?subgraphs=true`);
    expect(json.tasks).toMatchObject([{ name: 'child', state: { next: ['question'] } }]);
    expect(Object.keys((await api.get('/assistants/parent/subgraphs')).json)).toEqual(['child']);
  });

  test('reports how a node failed', async () => {
    const thread = await newThread();
    const fail = (input: object) => api.post(`${thread}/runs/wait`, { assistant_id: 'boom', input });
    expect((await fail({ kind: 'type-error', message: 'no number' })).json.__error__).toEqual({
      error: 'TypeError',
      message: 'no number',
    });
    expect((await api.get(thread)).json).toMatchObject({ status: 'error' });
    expect((await fail({ kind: 'custom', message: 'the code is 1234' })).json.__error__).toEqual({
      error: 'DriverFailure',
      message: 'An internal error occurred',
    });
  });

  test('hides the message of a custom error class', async () => {
    const thread = await newThread();
    const encoded = Buffer.from('secret plans').toString('base64');
    await api.post(`${thread}/runs/wait`, { assistant_id: 'boom', input: { kind: 'own-repr', encoded } });
    const { json, text: shown } = await api.get(`${thread}/state`);
    expect(json.tasks[0].error).toBe("Error('An internal error occurred')");
    expect(shown).not.toContain('secret plans');
  });

  test('shares its store with the API', async () => {
    const context = { user_id: 'ada' };
    await api.post('/runs/wait', { assistant_id: 'stateful', input: { remember: 'tea' }, context });
    const item = await api.get('/store/items?namespace=memories.ada&key=tea');
    expect(item.json).toMatchObject({ namespace: ['memories', 'ada'], key: 'tea', value: { text: 'tea' } });
  });

  test('works over A2A and MCP', async () => {
    const agent = new A2aCaller(() => api.url);
    const { result } = await agent.send('message/send', 'echo', [text('hello')]);
    expect(result).toMatchObject({
      status: { state: 'completed' },
      artifacts: [{ parts: [{ text: 'echo: hello' }] }],
    });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const params = { name: 'echo', arguments: { text: 'hi' } };
    const { json } = await api.post('/mcp', { ...call, params }, { accept: 'application/json' });
    expect(JSON.parse(json.result.content[0].text)).toMatchObject({ echo: 'hi' });
  });
});

describe('a project in two languages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-mixed-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'langgraph.json');
  const graphs = {
    typescript: join(dirname(FIXTURES), 'src/echo.ts:graph'),
    python: join(dirname(server.config), 'src/echo.py:graph'),
  };
  writeFileSync(config, JSON.stringify({ graphs }));
  const api = useApi({ ...server, config });

  test('runs each graph in its own language', async () => {
    const { json: assistants } = await api.post('/assistants/search', {});
    expect(assistants.map(({ graph_id }: any) => graph_id).sort()).toEqual(['python', 'typescript']);
    for (const assistant_id of ['typescript', 'python']) {
      const { json } = await api.post('/runs/wait', { assistant_id, input: { text: assistant_id } });
      expect(json).toMatchObject({ echo: assistant_id });
    }
  });
});
