import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { InvalidProject } from '../../src/graph-protocol/invalid-project.ts';
import { readProjectConfig } from '../../src/agent-server/project/project-config.ts';
import { headerPicker } from '../../src/agent-server/auth/header-patterns.ts';
import { useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';
import { framesOf } from './streams-frames.ts';

// Behaviour that changed between releases of the reference servers; ours follows the latest.
const api = useApi();
const receiver = useReceiver();

const newThread = async (): Promise<string> => (await api.post('/threads', {})).json.thread_id;

test('0.2.130: the default multitask strategy is enqueue', async () => {
  const id = await newThread();
  const first = await api.post(`/threads/${id}/runs`, { assistant_id: 'sleepy', input: { ms: 300 } });
  const second = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo', input: { text: 'later' } });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.json.multitask_strategy).toBe('enqueue');
  expect((await api.get(`/threads/${id}/runs/${second.json.run_id}/join`)).json).toMatchObject({
    echo: 'later',
  });
  const runs = (await api.get(`/threads/${id}/runs`)).json;
  expect(runs.map(({ status }: { status: string }) => status)).toEqual(['success', 'success']);
});

test('0.3.0: configurable values of a run are not copied to its thread', async () => {
  const id = await newThread();
  const config = { configurable: { user: 'ada' } };
  const { json } = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo', config });
  await api.get(`/threads/${id}/runs/${json.run_id}/join`);
  expect(json.kwargs.config.configurable.user).toBe('ada');
  expect((await api.get(`/threads/${id}`)).json.config).toEqual({});
  const next = await api.post(`/threads/${id}/runs`, { assistant_id: 'echo' });
  expect(next.json.kwargs.config.configurable).not.toHaveProperty('user');
});

test('0.4: headers of a request are not added to the configurable values of its run', async () => {
  const { json } = await api.post(
    '/runs',
    { assistant_id: 'echo' },
    { 'x-tenant': 'acme', 'user-agent': 'mine' },
  );
  expect(JSON.stringify(json)).not.toMatch(/acme|mine/);
});

test('0.4: ids of stream events are ms-seq; the older form, ms alone, is still read', async () => {
  const id = await newThread();
  const body = { assistant_id: 'steps', input: { steps: 3 }, stream_resumable: true };
  const answer = await api.post(`/threads/${id}/runs/stream`, body);
  const frames = framesOf(answer.text);
  for (const frame of frames) expect(frame.id).toMatch(/^\d{13}-\d+$/);
  const ids = frames.map((frame) => frame.id!.split('-').map(Number) as [number, number]);
  const after = ids.filter(([ms, seq]) => ms > ids[0]![0] || (ms === ids[0]![0] && seq > 0));
  const { text } = await api.get(answer.headers.get('location')!, { 'last-event-id': String(ids[0]![0]) });
  expect(framesOf(text).map((frame) => frame.id)).toEqual(after.map(([ms, seq]) => `${ms}-${seq}`));
});

test('0.4: configurable_headers opts into headers, by includes and excludes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-releases-'));
  const file = join(folder, 'graph.json');
  const pick = (configurable_headers: object) => {
    const http = { configurable_headers };
    writeFileSync(file, JSON.stringify({ graphs: { agent: './agent.ts:graph' }, http }));
    const headers = { 'x-team': 'a', 'x-team-key': 'k', 'x-api-key': 's', accept: 'b' };
    return headerPicker(readProjectConfig(file).config.http?.configurable_headers)(headers);
  };
  expect(pick({ includes: ['x-*'], excludes: ['x-*-key'] })).toEqual({ 'x-team': 'a' });
  expect(pick({ include: ['x-*'], exclude: ['x-*-key'] })).toEqual({ 'x-team': 'a' });
  rmSync(folder, { recursive: true });
});

test('0.5.0: checkpointer.serde.allowed_json_modules is a list of triples', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-releases-'));
  const file = join(folder, 'graph.json');
  const read = (allowed_json_modules: unknown) => {
    const checkpointer = { serde: { allowed_json_modules } };
    writeFileSync(file, JSON.stringify({ graphs: { agent: './agent.ts:graph' }, checkpointer }));
    return readProjectConfig(file).config.checkpointer;
  };
  const triples = [['my_agent', 'my_file', 'SomeType']];
  expect(read(triples)).toEqual({ serde: { allowed_json_modules: triples } });
  expect(() => read([['my_agent', 'SomeType']])).toThrow(InvalidProject);
  expect(() => read('my_agent')).toThrow(InvalidProject);
  rmSync(folder, { recursive: true });
});

test('0.6.0: streams resume after last-event-id, without repeating that event', async () => {
  const id = await newThread();
  const body = { assistant_id: 'steps', input: { steps: 2 }, stream_resumable: true };
  const answer = await api.post(`/threads/${id}/runs/stream`, body);
  const frames = framesOf(answer.text);
  for (const [place, frame] of frames.entries()) {
    const rest = await api.get(answer.headers.get('location')!, { 'last-event-id': frame.id! });
    expect(framesOf(rest.text)).toEqual(frames.slice(place + 1));
  }
});

test('0.6.35: errors contain only a detail', async () => {
  const refused = await Promise.all([
    api.post('/runs', '{'),
    api.post('/runs', {}),
    api.get(`/threads/${crypto.randomUUID()}`),
    api.get('/nowhere'),
    api.put('/runs/batch', []),
    api.put('/store/items', { namespace: [], key: 'k', value: {} }),
    api.post('/assistants/search', { sort_by: 'taste' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 404, 404, 405, 400, 422]);
  for (const { json } of refused) expect(json).toEqual({ detail: expect.any(String) });
});

test('0.7.36: A2A follows release candidate 1.0 of its protocol', async () => {
  const message = { role: 'ROLE_USER', messageId: 'm1', parts: [{ text: 'hi' }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
  const { status, json } = await api.post('/a2a/echo', body, { accept: 'application/json' });
  expect([status, json.result.task.status.state]).toEqual([200, 'TASK_STATE_COMPLETED']);
});

test('0.7.46: the error of a webhook is an object with error and message', async () => {
  const path = '/hook';
  const webhook = receiver.url + path;
  await api.post('/runs', { assistant_id: 'boom', input: {}, webhook });
  const [sent] = await receiver.wait((one) => one.path === path);
  expect(sent!.json).toMatchObject({
    status: 'error',
    error: { error: expect.any(String), message: expect.any(String) },
  });
});
