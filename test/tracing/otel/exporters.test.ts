import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import {
  JsonLogsSerializer,
  ProtobufLogsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { Client } from 'langsmith';
import { initializeOTEL } from 'langsmith/experimental/otel/setup';
import { traceable } from 'langsmith/traceable';
import { sweepOrphans } from '../../../src/tracing/ingest/sweep-orphans.ts';
import { PATIENCE_MS } from '../../support/until.ts';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../../support/platform.ts';
import { otlpRequest } from './otlp-json.ts';

const platform = usePlatform();
let api: PlatformProcess;
const memory = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer(
  'test',
);

beforeAll(async () => {
  api = await platform.start('api');
});
afterAll(() => {
  trace.disable();
  context.disable();
});

/** Finished spans of a three-level trace in the order they ended, children first. */
function threeLevels(): ReadableSpan[] {
  memory.reset();
  const open = (name: string, parent: Context) => {
    const span = tracer.startSpan(name, {}, parent);
    return { span, inside: trace.setSpan(parent, span) };
  };
  const agent = open('agent', ROOT_CONTEXT);
  const step = open('step', agent.inside);
  const model = open('chat gpt-4o', step.inside);
  model.span.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
    'gen_ai.usage.input_tokens': 3,
  });
  for (const { span } of [model, step, agent]) span.end();
  return memory.getFinishedSpans();
}

const runIdOf = (span: ReadableSpan) => {
  const id = span.spanContext().spanId;
  return `00000000-0000-0000-${id.slice(0, 4)}-${id.slice(4)}`;
};
const read = async (id: string) => (await ask(api.url, 'GET', `/runs/${id}`)).json;

function send(exporter: SpanExporter, spans: ReadableSpan[]): Promise<void> {
  return new Promise((resolve, reject) =>
    exporter.export(spans, ({ code, error }) =>
      code === 0 ? resolve() : reject(error ?? new Error('The export failed')),
    ),
  );
}

async function expectWhole([model, step, agent]: ReadableSpan[]): Promise<void> {
  const [modelId, stepId, agentId] = [model!, step!, agent!].map(runIdOf);
  const root = await read(agentId!);
  const trace_id = agent!.spanContext().traceId;
  expect(root).toMatchObject({ name: 'agent', run_type: 'chain', parent_run_id: null, parent_run_ids: [] });
  expect(root.trace_id.replaceAll('-', '')).toBe(trace_id);
  expect(await read(stepId!)).toMatchObject({ trace_id: root.trace_id, parent_run_ids: [agentId] });
  expect(await read(modelId!)).toMatchObject({
    run_type: 'llm',
    trace_id: root.trace_id,
    parent_run_id: stepId,
    parent_run_ids: [agentId, stepId],
    inputs: { messages: [{ role: 'user' }] },
    outputs: { usage_metadata: { input_tokens: 3 } },
    status: 'success',
    session_id: root.session_id,
  });
  const { rows } = await platform.db.query('select 1 from tracing.run where trace_id = $1', [root.trace_id]);
  expect(rows).toHaveLength(3);
}

test.each([
  ['protobuf', ProtobufExporter],
  ['JSON', JsonExporter],
])('a trace is complete whatever the order of its spans: %s', async (_name, Exporter) => {
  const exporter = new Exporter({
    url: `${api.url}/otel/v1/traces`,
    headers: { 'x-api-key': API_KEY, 'Langsmith-Project': 'by-header' },
    timeoutMillis: PATIENCE_MS,
    compression: CompressionAlgorithm.GZIP,
  });
  const orders = [
    [[0], [1], [2]],
    [[2], [0], [1]],
    [[1], [0, 2]],
    [[0, 1], [2]],
    [[0], [2], [1]],
    [[0, 1, 2]],
  ];
  for (const order of orders) {
    const spans = threeLevels();
    for (const batch of order)
      await send(
        exporter,
        batch.map((index) => spans[index]!),
      );
    await expectWhole(spans);
    // Sent again, as if the response had been lost.
    await send(exporter, spans);
    await expectWhole(spans);
  }
  const { json } = await ask(api.url, 'GET', '/sessions?name=by-header');
  expect(json).toHaveLength(1);
  await exporter.shutdown();
});

test('a child without its parent is a flagged root until the parent arrives', async () => {
  const [model, step, agent] = threeLevels();
  const exporter = new ProtobufExporter({
    url: `${api.url}/api/v1/otel/v1/traces`,
    headers: { 'x-api-key': API_KEY },
    timeoutMillis: PATIENCE_MS,
  });
  await send(exporter, [model!]);
  await sweepOrphans(platform.db, 3_600);
  expect(await read(runIdOf(model!))).toMatchObject({ parent_run_id: runIdOf(step!), orphan_of: null });
  await sweepOrphans(platform.db, 0);
  expect(await read(runIdOf(model!))).toMatchObject({ parent_run_id: null, orphan_of: runIdOf(step!) });
  await send(exporter, [step!, agent!]);
  expect(await read(runIdOf(model!))).toMatchObject({ parent_run_id: runIdOf(step!), orphan_of: null });
  await expectWhole([model!, step!, agent!]);
  // As if written concurrently with its parent; linked later.
  await platform.db.query(
    `update tracing.run set dotted_order = right(dotted_order, 58) where trace_id = (select trace_id from tracing.run where id = $1)`,
    [runIdOf(model!)],
  );
  expect((await sweepOrphans(platform.db, 3_600)).adopted).toBe(2);
  await expectWhole([model!, step!, agent!]);
  await exporter.shutdown();
});

const post = async (body: Buffer | string, headers: Record<string, string>, signal = 'traces') => {
  const response = await fetch(`${api.url}/otel/v1/${signal}/`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, ...headers },
    body,
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: Buffer.from(await response.arrayBuffer()),
  };
};
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

test('stores valid spans of a request and reports invalid ones', async () => {
  const spanId = randomBytes(8).toString('hex');
  const request = otlpRequest([
    { name: 'good', spanId, attributes: { text: 'nul \0 and half \ud800' } },
    { name: 'bad', spanId: 'zz', attributes: {} },
  ]);
  const answered = await post(JSON.stringify(request), JSON_TYPE);
  expect(answered).toMatchObject({ status: 200, type: expect.stringContaining('application/json') });
  expect(JSON.parse(answered.body.toString())).toEqual({
    partialSuccess: { rejectedSpans: '1', errorMessage: 'the span has no 8-byte id' },
  });
  expect(await read(`00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`)).toMatchObject({
    name: 'good',
  });
});

test('answers empty and malformed requests as exporters expect', async () => {
  expect(await post('', PROTOBUF)).toEqual({
    status: 200,
    type: 'application/x-protobuf',
    body: Buffer.alloc(0),
  });
  expect((await post('{"resourceSpans":[]}', JSON_TYPE)).body.toString()).toBe('{}');
  expect((await post(Buffer.alloc(3, 0xff), PROTOBUF)).status).toBe(400);
  expect((await post('[', JSON_TYPE)).status).toBe(400);
  expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post('x', { ...PROTOBUF, 'content-encoding': 'gzip' })).status).toBe(422);
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  expect((await post(bomb, { ...PROTOBUF, 'content-encoding': 'gzip' })).status).toBe(413);
  expect((await post('', { ...PROTOBUF, 'x-api-key': 'nobody' })).status).toBe(401);
});

test('stores an extremely deep trace', async () => {
  memory.reset();
  let inside = ROOT_CONTEXT;
  const spans = Array.from({ length: 300 }, (_, level) => {
    const span = tracer.startSpan(`level ${level}`, {}, inside);
    inside = trace.setSpan(inside, span);
    return span;
  });
  for (const span of spans) span.end();
  const finished = memory.getFinishedSpans();
  for (const half of [finished.slice(150), finished.slice(0, 150)])
    expect((await post(Buffer.from(ProtobufTraceSerializer.serializeRequest(half)!), PROTOBUF)).status).toBe(
      200,
    );
  const root = finished[0]!;
  const { rows } = await platform.db.query<{ runs: number }>(
    `select count(*)::int as runs from tracing.run where trace_id = (select trace_id from tracing.run where id = $1)`,
    [runIdOf(root)],
  );
  expect(rows[0]!.runs).toBe(300);
});

test('the SDK in OpenTelemetry mode logs the same runs', async () => {
  process.env['LANGSMITH_TRACING'] = 'true';
  const project_name = 'otel-sdk';
  const { DEFAULT_LANGSMITH_SPAN_PROCESSOR: processor } = initializeOTEL({
    exporterConfig: {
      url: `${api.url}/otel/v1/traces`,
      headers: { 'x-api-key': API_KEY },
      timeoutMillis: PATIENCE_MS,
    },
  });
  const client = new Client({ apiUrl: api.url, apiKey: API_KEY, tracingMode: 'otel' });
  const model = traceable(
    async (input: { messages: object[] }) => ({
      role: 'assistant',
      content: `${input.messages.length}`,
      usage_metadata: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
    }),
    {
      name: 'model',
      project_name,
      run_type: 'llm',
      client,
      metadata: { ls_provider: 'own', ls_model_name: 'm' },
      tags: ['a'],
    },
  );
  const chain = traceable(async (q: string) => model({ messages: [{ role: 'user', content: q }] }), {
    name: 'chain',
    client,
    project_name,
  });
  await chain('Hi');
  await client.awaitPendingTraceBatches();
  await processor.forceFlush();
  const { rows } = await platform.db.query<{ id: string; name: string }>(
    `select r.id, r.name from tracing.run r join tracing.project p on p.id = r.project_id where p.name = 'otel-sdk'
     order by r.dotted_order`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['chain', 'model']);
  expect(await read(rows[1]!.id)).toMatchObject({
    run_type: 'llm',
    parent_run_ids: [rows[0]!.id],
    tags: ['a'],
    inputs: { messages: [{ role: 'user', content: 'Hi' }] },
    outputs: { content: '1', usage_metadata: { input_tokens: 3, output_tokens: 1, total_tokens: 4 } },
    extra: { metadata: { ls_provider: 'own', ls_model_name: 'm' } },
  });
  await processor.shutdown();
});

describe('logs', () => {
  type Records = Parameters<typeof JsonLogsSerializer.serializeRequest>[0];
  const record = (span: ReadableSpan, eventName: string | undefined, body: object) => ({
    hrTime: span.startTime,
    hrTimeObserved: span.startTime,
    body,
    attributes: { 'gen_ai.system': 'openai' },
    spanContext: span.spanContext(),
    eventName,
    resource: { attributes: {} },
    instrumentationScope: { name: 'opentelemetry.instrumentation.openai_v2' },
    droppedAttributesCount: 0,
  });
  const ENCODINGS = [
    ['application/x-protobuf', ProtobufLogsSerializer],
    ['application/json', JsonLogsSerializer],
  ] as const;
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city": "Oslo"}' },
  };
  const eventsOf = (span: ReadableSpan) => [
    record(span, 'gen_ai.system.message', { content: 'Be brief' }),
    record(span, 'gen_ai.user.message', { content: 'Weather in Oslo?' }),
    record(span, 'gen_ai.choice', {
      index: 0,
      finish_reason: 'tool_calls',
      message: { role: 'assistant', tool_calls: [call] },
    }),
  ];
  const modelCall = (): ReadableSpan => {
    memory.reset();
    const span = tracer.startSpan('chat gpt-4o');
    span.setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.response.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 50,
      'gen_ai.usage.output_tokens': 12,
    });
    span.end();
    return memory.getFinishedSpans()[0]!;
  };
  const sendSpan = (span: ReadableSpan) =>
    post(Buffer.from(ProtobufTraceSerializer.serializeRequest([span])!), {
      'content-type': 'application/x-protobuf',
    });

  test.each(ENCODINGS)(
    "GenAI events become inputs and outputs of their span's run, before or after it: %s",
    async (type, serializer) => {
      const sendLogs = (records: object[]) =>
        post(
          Buffer.from(serializer.serializeRequest(records as unknown as Records)!),
          { 'content-type': type },
          'logs',
        );
      for (const order of [
        ['logs', 'span'],
        ['span', 'logs'],
        ['first', 'span', 'rest'],
        ['first', 'rest', 'span', 'rest'],
      ]) {
        const span = modelCall();
        const events = eventsOf(span);
        const parts = { logs: events, first: events.slice(0, 1), rest: events.slice(1) };
        for (const part of order) {
          const sent = part === 'span' ? sendSpan(span) : sendLogs(parts[part as keyof typeof parts]);
          expect((await sent).status).toBe(200);
        }
        const run = await read(runIdOf(span));
        expect([order, run]).toMatchObject([
          order,
          {
            name: 'chat gpt-4o',
            run_type: 'llm',
            start_time: expect.stringMatching(
              new RegExp(`^${new Date(span.startTime[0] * 1000).toISOString().slice(0, 19)}`),
            ),
            inputs: {
              messages: [
                { role: 'system', content: 'Be brief' },
                { role: 'user', content: 'Weather in Oslo?' },
              ],
            },
            outputs: {
              choices: [
                { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', tool_calls: [call] } },
              ],
            },
            prompt_tokens: 50,
            total_tokens: 62,
          },
        ]);
        expect(run.inputs.messages).toHaveLength(2);
      }
    },
  );

  test('rejects other records in the response; accepts metrics', async () => {
    const span = modelCall();
    const records = [record(span, undefined, { text: 'GET /' }), ...eventsOf(span)];
    const body = Buffer.from(JsonLogsSerializer.serializeRequest(records as unknown as Records)!);
    const json = { 'content-type': 'application/json' };
    const response = await post(body, json, 'logs');
    expect([response.status, JSON.parse(response.body.toString())]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '1', errorMessage: expect.stringContaining('GenAI') } },
    ]);
    const taken = await post('{"resourceMetrics":[]}', json, 'metrics');
    expect([taken.status, taken.body.toString()]).toEqual([200, '{}']);
    for (const signal of ['logs', 'metrics'])
      expect(await post('x', { 'content-type': 'text/plain' }, signal)).toMatchObject({ status: 415 });
    expect(await post('[', json, 'logs')).toMatchObject({ status: 400 });
  });
});
