import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../../support/platform.ts';
import { until } from '../../support/until.ts';
import { otlpRequest, type PlainSpan } from './otlp-json.ts';

const platform = usePlatform();
let api: PlatformProcess;
beforeAll(async () => {
  api = await platform.start('api');
});

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const runIdOf = (spanId: string) => `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`;
const read = async (spanId: string) => (await ask(api.url, 'GET', `/runs/${runIdOf(spanId)}`)).json;

async function send(signal: 'traces' | 'logs', body: object): Promise<any> {
  const response = await fetch(`${api.url}/otel/v1/${signal}`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status === 503) return send(signal, body);
  expect(response.status).toBe(200);
  return response.json();
}
const sendSpans = (spans: PlainSpan[]) => send('traces', otlpRequest(spans));

const modelCall = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 50,
  'gen_ai.usage.output_tokens': 12,
};

/** A model call of one instrumentation around that of another, with a step between them. */
function nestedCalls() {
  const traceId = hex(16);
  const span = (name: string, parentSpanId?: string, attributes = {}): PlainSpan & { spanId: string } => ({
    name,
    traceId,
    spanId: hex(8),
    ...(parentSpanId && { parentSpanId }),
    attributes,
  });
  const root = span('root');
  const outer = span('outer', root.spanId, modelCall);
  const step = span('step', outer.spanId);
  const inner = span('inner', step.spanId, modelCall);
  return { root, outer, step, inner };
}

async function expectCountedOnce({ root, outer, inner }: ReturnType<typeof nestedCalls>): Promise<void> {
  expect(await read(outer.spanId)).toMatchObject({ run_type: 'chain', total_tokens: null });
  expect(await read(inner.spanId)).toMatchObject({ run_type: 'llm', total_tokens: 62 });
  expect(await read(root.spanId)).toMatchObject({ total_tokens: 62 });
}

test('counts nested model spans of two instrumentations once across requests', async () => {
  const orders = [
    ['root', 'outer', 'step', 'inner'],
    ['inner', 'step', 'outer', 'root'],
    ['outer', 'inner', 'root', 'step'],
    ['inner', 'outer', 'step', 'root'],
  ] as const;
  for (const order of orders) {
    const calls = nestedCalls();
    for (const name of order) await sendSpans([calls[name]]);
    await expectCountedOnce(calls);
    // Sending a span again changes nothing.
    await sendSpans([calls.outer]);
    await expectCountedOnce(calls);
  }
});

test('counts nested model spans once with concurrent requests', async () => {
  await platform.start('worker');
  const traces = Array.from({ length: 10 }, nestedCalls);
  await Promise.all(
    traces.flatMap(({ root, outer, step, inner }) => [sendSpans([root, outer]), sendSpans([step, inner])]),
  );
  await until('the sweep has put all traces together', async () => {
    const { rows } = await platform.db.query(
      `select from tracing.run where run_type = 'llm' and name = 'outer'
       or length(dotted_order) = 58 and parent_run_id is not null`,
    );
    return rows.length === 0;
  });
  for (const calls of traces) await expectCountedOnce(calls);
});

const logRecord = (traceId: string, spanId: string, content: string) => ({
  traceId,
  spanId,
  timeUnixNano: '1750000000000000000',
  eventName: 'gen_ai.user.message',
  body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: content } }] } },
});
const sendLogs = (logRecords: object[]) => send('logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });

test('merges log records sent concurrently with their span into one run', async () => {
  const spans = Array.from({ length: 20 }, () => ({ traceId: hex(16), spanId: hex(8) }));
  await Promise.all(
    spans.flatMap(({ traceId, spanId }) => [
      sendLogs([logRecord(traceId, spanId, 'one')]),
      sendSpans([{ name: 'chat', traceId, spanId, attributes: modelCall }]),
      sendLogs([logRecord(traceId, spanId, 'two')]),
    ]),
  );
  for (const { spanId } of spans) {
    const { rows } = await platform.db.query('select from tracing.run where id = $1', [runIdOf(spanId)]);
    expect(rows).toHaveLength(1);
    const { name, inputs } = await read(spanId);
    expect([name, inputs.messages.map(({ content }: { content: string }) => content).sort()]).toEqual([
      'chat',
      ['one', 'two'],
    ]);
  }
});

test('rejects only the log record nested too deeply and keeps large integers of others', async () => {
  const [traceId, spanId] = [hex(16), hex(8)];
  let deep: object = { stringValue: 'x' };
  for (let level = 0; level < 120; level++) deep = { arrayValue: { values: [deep] } };
  const number = { key: 'n', value: { intValue: '9007199254740993' } };
  expect(
    await sendLogs([
      { ...logRecord(traceId, spanId, 'deep'), body: deep },
      { ...logRecord(traceId, spanId, 'kept'), attributes: [number] },
    ]),
  ).toEqual({
    partialSuccess: {
      rejectedLogRecords: '1',
      errorMessage: 'An attribute may not be nested deeper than 100 levels',
    },
  });
  expect((await read(spanId)).inputs.messages).toEqual([expect.objectContaining({ content: 'kept' })]);
});
