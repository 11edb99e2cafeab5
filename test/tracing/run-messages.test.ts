import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { Client } from 'langsmith';
import { traceable } from 'langsmith/traceable';
import { wrapGemini } from 'langsmith/wrappers/gemini';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api');
  client = new Client({ apiUrl: api.url, apiKey: API_KEY });
});

const messagesOf = async (id: string, query = '') =>
  ask(api.url, 'GET', `/api/v1/runs/${id}/messages${query}`);

const message = (role: string, text: string) => ({
  role,
  content: [expect.objectContaining({ type: 'text', text })],
});

test("reads the SDK's function runs as messages, with previews", async () => {
  const id = randomUUID();
  const model = traceable(async (_inputs: { messages: object[] }) => ['assistant', 'Hello, Ada'], {
    name: 'model',
    run_type: 'llm',
    id,
    client,
    tracingEnabled: true,
  });
  await model({
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'I am Ada' },
    ],
  });
  await client.awaitPendingTraceBatches();

  const { status, json } = await messagesOf(id);
  expect(status).toBe(200);
  expect(json).toEqual({
    messages: [
      message('system', 'Be brief.'),
      message('user', 'I am Ada'),
      message('assistant', 'Hello, Ada'),
    ],
    first_output: 2,
    warnings: [],
    format: { inputs: 'chat_completions', outputs: 'chat_completions' },
  });
  expect((await ask(api.url, 'GET', `/runs/${id}`)).json).toMatchObject({
    inputs_preview: 'I am Ada',
    outputs_preview: 'Hello, Ada',
  });
});

test("reads chat-model runs of LangChain's tracer as messages", async () => {
  const runId = randomUUID();
  const model = new FakeListChatModel({ responses: ['Hello, Ada'] });
  const callbacks = [new LangChainTracer({ client })];
  await model.invoke(
    [
      ['system', 'Be brief.'],
      ['human', 'I am Ada'],
    ],
    { callbacks, runId },
  );
  await client.awaitPendingTraceBatches();

  const { json } = await messagesOf(runId);
  expect(json).toMatchObject({
    messages: [
      message('system', 'Be brief.'),
      message('user', 'I am Ada'),
      message('assistant', 'Hello, Ada'),
    ],
    warnings: [],
    format: { inputs: 'langchain', outputs: 'langchain' },
  });
});

test("reads runs of the SDK's wrapper for another provider as messages", async () => {
  const id = randomUUID();
  const parts = [{ text: 'Hm.', thought: true }, { functionCall: { name: 'f', args: { a: 1 } } }];
  const generateContent = async (_request: object) => ({
    candidates: [{ content: { role: 'model', parts } }],
  });
  const models = { generateContent, generateContentStream: generateContent };
  const gemini = wrapGemini({ models }, { client, id, tracingEnabled: true });
  await gemini.models.generateContent({ model: 'gemini-2.5-flash', contents: 'I am Ada' });
  await client.awaitPendingTraceBatches();

  const { json } = await messagesOf(id);
  expect(json.messages).toEqual([
    message('user', 'I am Ada'),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool_call', name: 'f', args: { a: 1 } },
      ],
    },
  ]);
});

test('replaces large media by their hash on request', async () => {
  const id = randomUUID();
  const base64 = Buffer.alloc(60_000, 7).toString('base64');
  const content = [{ type: 'image', base64, mime_type: 'image/png' }];
  const run = {
    id,
    name: 'see',
    run_type: 'llm',
    start_time: 1,
    inputs: { messages: [{ role: 'user', content }] },
  };
  expect((await ask(api.url, 'POST', '/runs', run)).status).toBe(202);
  expect((await messagesOf(id)).json.messages[0].content).toEqual(content);
  expect((await messagesOf(id, '?media=hash')).json.messages[0].content).toEqual([
    {
      type: 'image',
      base64: '…',
      mime_type: 'image/png',
      extras: { size: 60_000, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
  ]);
});

test('returns messages as a selected field of runs', async () => {
  const id = randomUUID();
  const run = {
    id,
    name: 'model',
    run_type: 'llm',
    start_time: new Date().toISOString(),
    inputs: { messages: [{ role: 'user', content: 'I am Ada' }] },
    outputs: { choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
  };
  expect((await ask(api.url, 'POST', '/runs', run)).status).toBe(202);
  const { json } = await ask(api.url, 'POST', '/runs/query', { id: [id], select: ['messages'] });
  expect(json.runs).toEqual([
    expect.objectContaining({ id, messages: [message('user', 'I am Ada'), message('assistant', 'Hello')] }),
  ]);
  expect(json.runs[0]).not.toHaveProperty('inputs');
});

test('answers 404 for messages of a missing run', async () => {
  expect((await messagesOf(randomUUID())).status).toBe(404);
  expect((await messagesOf('x')).status).toBe(422);
});

const START = Date.now() - 60_000;
const stampOf = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:.Z]/g, '')}000Z`;

test('returns descendants and children of each run of a trace', async () => {
  const [root, first, second] = [randomUUID(), randomUUID(), randomUUID()];
  const [inFirst, inSecond] = [randomUUID(), randomUUID()];
  const above = new Map<string, string>([
    [first, root],
    [second, root],
    [inFirst, first],
    [inSecond, second],
  ]);
  const orderOf = (id: string, at: number): string => {
    const parent = above.get(id);
    const segment = `${stampOf(START + at)}${id}`;
    return parent
      ? `${orderOf(
          parent,
          [root, first, second].findIndex((one) => one === parent),
        )}.${segment}`
      : segment;
  };
  const post = [root, first, second, inFirst, inSecond].map((id, at) => ({
    id,
    trace_id: root,
    parent_run_id: above.get(id),
    dotted_order: orderOf(id, at),
    name: 'above 👆',
    run_type: 'chain',
    session_name: 'levels',
    start_time: START + at,
    inputs: { at },
  }));
  expect((await ask(api.url, 'POST', '/runs/batch', { post })).status).toBe(202);
  const { json } = await ask(api.url, 'POST', '/runs/query', {
    trace: root,
    order: 'asc',
    select: ['child_run_ids', 'direct_child_run_ids', 'inputs'],
  });
  const below = json.runs.map((run: Record<string, unknown>) => [
    run['child_run_ids'],
    run['direct_child_run_ids'],
  ]);
  expect(below).toEqual([
    [
      [first, inFirst, second, inSecond],
      [first, second],
    ],
    [[inFirst], [inFirst]],
    [[inSecond], [inSecond]],
    [[], []],
    [[], []],
  ]);
  expect(json.runs[4]).toMatchObject({ name: 'above 👆', inputs: { at: 4 } });
});
