import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { as, GUARDED } from '../support/guarded.ts';
import { useApi } from '../support/use-api.ts';
import { data, text } from './a2a-caller.ts';

const api = useApi({ config: GUARDED });
const by = (name?: string) => as(api, name, { accept: 'application/json' });
const rpc = async (name: string, path: string, method: string, params: object = {}) =>
  (await by(name).post(path, { jsonrpc: '2.0', id: 1, method, params })).json;
const send = (name: string, parts: object[], rest: object = {}, graph = 'echo') =>
  rpc(name, `/a2a/${graph}`, 'message/send', {
    message: { kind: 'message', role: 'user', messageId: 'm', parts, ...rest },
  });

test('refuse callers without a credential', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const path of ['/mcp', '/a2a/echo'])
    expect(await by().post(path, body)).toMatchObject({ status: 401 });
  for (const path of ['/a2a/echo', '/a2a/echo/.well-known/agent-card.json'])
    expect(await by().get(path)).toMatchObject({ status: 401 });
});

test('refuse callers without permission by an HTTP status', async () => {
  const call = { name: 'echo', arguments: { text: 'hi' } };
  const message = { role: 'user', messageId: 'm', parts: [text('hi')] };
  for (const [path, method, params] of [
    ['/mcp', 'tools/call', call],
    ['/a2a/echo', 'message/send', { message }],
  ] as const) {
    const { status, json } = await by('rita').post(path, { jsonrpc: '2.0', id: 1, method, params });
    expect([status, json]).toEqual([403, { detail: expect.any(String) }]);
  }
});

test("tools and agents are the system assistants and the caller's own", async () => {
  const made = await by('alice').post('/assistants', { graph_id: 'echo', name: 'of_alice' });
  const names = async (name: string) =>
    (await rpc(name, '/mcp', 'tools/list')).result.tools.map((tool: { name: string }) => tool.name);
  expect(await names('alice')).toEqual(expect.arrayContaining(['echo', 'of_alice']));
  expect(await names('bob')).not.toContain('of_alice');
  expect(await names('bob')).toContain('echo');
  const call = { name: 'of_alice', arguments: { text: 'hi' } };
  expect((await rpc('alice', '/mcp', 'tools/call', call)).result.isError).toBe(false);
  expect((await rpc('bob', '/mcp', 'tools/call', call)).error.code).toBe(-32_602);
  const card = `/a2a/${made.json.assistant_id}`;
  expect((await by('alice').get(card)).json.name).toBe('of_alice');
  expect(await by('bob').get(card)).toMatchObject({ status: 404 });
  expect(await by('bob').post(card, { jsonrpc: '2.0', id: 1, method: 'tasks/list' })).toMatchObject({
    status: 404,
  });
});

test('a run has its caller as user', async () => {
  const { result } = await rpc('alice', '/mcp', 'tools/call', { name: 'whoami', arguments: {} });
  expect(result.content[0].text).toContain('alice');
});

describe('tasks', () => {
  test('can be read, answered and cancelled by users with access to their threads', async () => {
    const { result: task } = await send('alice', [text('hi')]);
    const { result: asked } = await send('alice', [data({ topic: 'boats' })], {}, 'approval');
    const { id, contextId } = task;
    expect((await rpc('alice', '/a2a/echo', 'tasks/get', { id })).result.id).toBe(id);
    expect((await rpc('bob', '/a2a/echo', 'tasks/get', { id })).error.code).toBe(-32_001);
    expect((await rpc('bob', '/a2a/approval', 'tasks/cancel', { id: asked.id })).error.code).toBe(-32_001);
    expect((await send('bob', [text('yes')], { taskId: asked.id }, 'approval')).error.code).toBe(-32_001);
    expect((await send('bob', [text('hi')], { contextId })).error.code).toBe(-32_602);
    expect((await rpc('alice', '/a2a/echo', 'tasks/list', { contextId })).result.totalSize).toBe(1);
    expect((await rpc('bob', '/a2a/echo', 'tasks/list')).result.totalSize).toBe(0);
    const done = await send('alice', [text('yes')], { taskId: asked.id }, 'approval');
    expect(done.result.status.state).toBe('completed');
  });

  test('of a shared thread can be read, but not cancelled', async () => {
    const contextId = randomUUID();
    await by('alice').post('/threads', { thread_id: contextId, metadata: { shared_with: ['bob'] } });
    const { result: asked } = await send('alice', [data({ topic: 'boats' })], { contextId }, 'approval');
    expect((await rpc('bob', '/a2a/approval', 'tasks/get', { id: asked.id })).result.id).toBe(asked.id);
    expect((await rpc('bob', '/a2a/approval', 'tasks/cancel', { id: asked.id })).error.code).toBe(-32_001);
  });
});
