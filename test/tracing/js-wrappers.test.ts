import { beforeAll, expect, test } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { OpenAIInstrumentation as OpenInference } from '@arizeai/openinference-instrumentation-openai';
import { AIMessage } from '@langchain/core/messages';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenAIInstrumentation as Traceloop } from '@traceloop/instrumentation-openai';
import * as ai from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { Client } from 'langsmith';
import { traceable } from 'langsmith/traceable';
import { wrapAISDK } from 'langsmith/experimental/vercel';
import { wrapOpenAI } from 'langsmith/wrappers';
import { wrapAnthropic } from 'langsmith/wrappers/anthropic';
import OpenAI from 'openai';
import { PATIENCE_MS, until } from '../support/until.ts';
import { useModelProvider } from '../support/model-provider.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const provider = useModelProvider();
const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  // Clients read their settings on first use.
  process.env['LANGSMITH_TRACING'] = 'true';
  api = await platform.start('api');
  client = new Client({ apiUrl: api.url, apiKey: API_KEY });
});

interface Logged {
  id: string;
  name: string;
  [field: string]: any;
}

/** The runs of a project in tree order, once all of them have arrived and ended. */
async function runsOf(name: string, count: number): Promise<Logged[]> {
  await client.awaitPendingTraceBatches();
  let runs: Logged[] = [];
  await until(`${count} runs of ${name} have ended`, async () => {
    const found = await ask(api.url, 'GET', `/sessions?${new URLSearchParams({ name }).toString()}`);
    const [project] = found.json as { id: string }[];
    if (!project) return false;
    runs = (await ask(api.url, 'POST', '/runs/query', { session: [project.id] })).json.runs;
    return runs.length === count && runs.every((run) => run['status'] !== 'pending');
  });
  return runs.sort((one, other) => (one['dotted_order'] < other['dotted_order'] ? -1 : 1));
}

const messagesOf = async (run: Logged): Promise<unknown[]> =>
  (await ask(api.url, 'GET', `/runs/${run.id}/messages`)).json.messages.map(
    ({ role, content }: { role: string; content: { text?: string }[] }) => [role, content[0]?.text],
  );
const ASKED = [
  ['user', 'hi'],
  ['assistant', 'hello there'],
];
const messages = [{ role: 'user' as const, content: 'hi' }];

test('wrapOpenAI: chat completions, complete and streamed, and responses, with messages, tokens and costs', async () => {
  const project_name = 'wrapped openai';
  const openai = wrapOpenAI(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'none' }), {
    client,
    project_name,
  });
  await openai.chat.completions.create({ model: 'gpt-5-mini', messages });
  for await (const _part of await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages,
    stream: true,
  }));
  await openai.responses.create({ model: 'gpt-5-mini', input: 'hi' });
  const [whole, streamed, response] = await runsOf(project_name, 3);
  expect(whole).toMatchObject({ run_type: 'llm', prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 });
  expect(Number(whole!['total_cost'])).toBeGreaterThan(0);
  expect(streamed!['first_token_time']).not.toBeNull();
  expect(response).toMatchObject({ prompt_tokens: 10, prompt_token_details: { cache_read: 4 } });
  for (const run of [whole!, streamed!, response!]) expect(await messagesOf(run)).toEqual(ASKED);
});

test('wrapAnthropic: messages, counting cache reads and writes once', async () => {
  const project_name = 'wrapped anthropic';
  const anthropic = wrapAnthropic(new Anthropic({ baseURL: provider.url, apiKey: 'none' }), {
    client,
    project_name,
  });
  await anthropic.messages.create({ model: 'claude-sonnet-4-5', max_tokens: 10, messages });
  const [run] = await runsOf(project_name, 1);
  expect(run).toMatchObject({
    run_type: 'llm',
    prompt_tokens: 140,
    completion_tokens: 5,
    prompt_token_details: { cache_read: 100 },
  });
  expect(Number(run!['total_cost'])).toBeGreaterThan(0);
  expect(await messagesOf(run!)).toEqual(ASKED);
});

const aiModel = () =>
  new MockLanguageModelV3({
    provider: 'openai.chat',
    modelId: 'gpt-5-mini',
    doGenerate: {
      content: [{ type: 'text', text: 'hello there' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
        outputTokens: { total: 2, text: 2, reasoning: 0 },
      },
      warnings: [],
    },
  });

test('wrapAISDK: a generation and its model call', async () => {
  const model = aiModel();
  const { generateText } = wrapAISDK(ai, { client, project_name: 'wrapped ai sdk' });
  expect((await generateText({ model, messages })).text).toBe('hello there');
  const runs = await runsOf('wrapped ai sdk', 2);
  const call = runs.find((run) => run['run_type'] === 'llm');
  expect(call).toMatchObject({
    prompt_tokens: 10,
    completion_tokens: 2,
    prompt_token_details: { cache_read: 4 },
  });
  expect(await messagesOf(call!)).toEqual(ASKED);
});

test("traceable and LangChain's tracer log trees with tags, metadata and errors", async () => {
  const project_name = 'traced';
  const inner = traceable(
    (n: number) => {
      if (n < 0) throw new Error('negative');
      return n * 2;
    },
    { name: 'double', run_type: 'tool', client, tags: ['inner'] },
  );
  const outer = traceable(async (n: number) => (await inner(n)) + 1, {
    name: 'answer',
    client,
    project_name,
    metadata: { thread_id: 't-9' },
  });
  expect(await outer(2)).toBe(5);
  await expect(outer(-1)).rejects.toThrow('negative');
  const runs = await runsOf(project_name, 4);
  // Both may start in the same millisecond.
  const named = (name: string) => runs.filter((run) => run.name === name);
  const [root, failed] = ['success', 'error'].map((end) =>
    named('answer').find((run) => run['status'] === end),
  );
  const tool = named('double').find((run) => run['status'] === 'success');
  expect(root).toMatchObject({ name: 'answer', outputs: { outputs: 5 }, thread_id: 't-9' });
  expect(tool).toMatchObject({ parent_run_id: root!.id, run_type: 'tool', tags: ['inner'] });
  expect(failed).toMatchObject({ status: 'error', error: expect.stringContaining('negative') });

  const chain = ChatPromptTemplate.fromMessages([['human', '{q}']]).pipe(
    new FakeListChatModel({ responses: ['blue'] }),
  );
  const tracer = new LangChainTracer({ projectName: 'chained', client });
  const answer = await chain.invoke({ q: 'Colour?' }, { callbacks: [tracer], tags: ['t'] });
  expect(answer).toBeInstanceOf(AIMessage);
  const chained = await runsOf('chained', 3);
  expect(chained.map((run) => run['run_type'])).toEqual(['chain', 'prompt', 'llm']);
  expect(await messagesOf(chained[2]!)).toEqual([
    ['user', 'Colour?'],
    ['assistant', 'blue'],
  ]);
});

/** A tracer provider whose spans become runs of a project. */
const spansInto = (project: string): BasicTracerProvider => {
  const headers = { 'x-api-key': API_KEY, 'Langsmith-Project': project };
  const exporter = new OTLPTraceExporter({
    url: `${api.url}/otel/v1/traces`,
    headers,
    timeoutMillis: PATIENCE_MS,
  });
  return new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
};

test('AI SDK telemetry: a generation and its model call', async () => {
  const spans = spansInto('ai telemetry');
  const experimental_telemetry = { isEnabled: true, tracer: spans.getTracer('ai') };
  // Makes a span the parent of those started within it.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  await ai.generateText({ model: aiModel(), messages, experimental_telemetry });
  context.disable();
  await spans.forceFlush();
  // They are sent concurrently and may start in the same millisecond.
  const runs = await runsOf('ai telemetry', 2);
  const [generation, call] = ['chain', 'llm'].map((type) => runs.find((run) => run['run_type'] === type));
  expect(generation).toMatchObject({ run_type: 'chain', parent_run_id: null });
  expect(call).toMatchObject({
    parent_run_id: generation!.id,
    run_type: 'llm',
    prompt_tokens: 10,
    completion_tokens: 2,
    prompt_token_details: { cache_read: 4 },
    extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-5-mini' } },
  });
  expect(Number(call!['total_cost'])).toBeGreaterThan(0);
  expect(await messagesOf(call!)).toEqual(ASKED);
  await spans.shutdown();
});

interface Instrumentation {
  setTracerProvider(provider: BasicTracerProvider): void;
  manuallyInstrument(module: typeof OpenAI): void;
}

// The order matters: both patch the client, and calls of the second pass through the first.
test.each<[string, new () => Instrumentation]>([
  ['OpenInference', OpenInference],
  ['Traceloop', Traceloop],
])('%s instruments openai: spans become runs with messages, tokens and costs', async (name, Instrument) => {
  const spans = spansInto(name);
  const instrumentation = new Instrument();
  instrumentation.setTracerProvider(spans);
  instrumentation.manuallyInstrument(OpenAI);
  const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'none' });
  await openai.chat.completions.create({ model: 'gpt-5-mini', messages, temperature: 1 });
  for await (const _part of await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages,
    stream: true,
  }));
  await openai.responses.create({ model: 'gpt-5-mini', input: 'hi' });
  await spans.forceFlush();
  // A streamed call ends after its reader.
  const runs = await runsOf(name, 3);
  const [whole, streamed, response] = runs;
  for (const run of runs) {
    expect(run).toMatchObject({ run_type: 'llm', status: 'success' });
    expect(await messagesOf(run)).toEqual(ASKED);
  }
  const { metadata } = whole!['extra'];
  expect(metadata).toMatchObject({
    ls_provider: 'openai',
    ls_model_name: expect.stringMatching(/^gpt-5-mini/),
  });
  for (const run of [whole, response]) {
    expect(run).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 });
    expect(Number(run!['total_cost'])).toBeGreaterThan(0);
  }
  expect(streamed!['outputs']).toMatchObject({ messages: [{ role: 'assistant' }] });
  await spans.shutdown();
});
