import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { PublicError } from '../../../src/platform/errors.ts';
import { protobufResponse } from '../../../src/tracing/otel/export-response.ts';
import { readPythonLiteral } from '../../../src/tracing/otel/python-literal.ts';
import { readJson } from '../../../src/tracing/otel/read-json.ts';
import { readProtobuf } from '../../../src/tracing/otel/read-protobuf.ts';
import { readTraces } from '../../../src/tracing/otel/read-traces.ts';
import { otlpRequest } from './otlp-json.ts';

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer(
  't',
  '2',
);

function exported() {
  exporter.reset();
  const span = tracer.startSpan('work', { startTime: [1_750_000_000, 123_456_789] });
  span.setAttributes({ text: 'ü', whole: -7, large: 2 ** 40, part: 0.5, yes: true, list: ['a', 'b'] });
  span.addEvent('said', { n: 1 }, [1_750_000_000, 500_000_000]);
  span.recordException(new TypeError('no'), [1_750_000_001, 0]);
  span.setStatus({ code: 2, message: 'no' });
  span.end([1_750_000_002, 1_000]);
  return exporter.getFinishedSpans();
}

test('both encodings of a real exporter decode to the same spans', () => {
  const spans = exported();
  const fromProtobuf = readProtobuf(Buffer.from(ProtobufTraceSerializer.serializeRequest(spans)!), 10);
  const fromJson = readJson(Buffer.from(JsonTraceSerializer.serializeRequest(spans)!), 10);
  expect(fromProtobuf).toEqual(fromJson);
  expect(fromProtobuf[0]).toMatchObject({
    scope: { name: 't', version: '2' },
    spans: [
      {
        traceId: spans[0]!.spanContext().traceId,
        name: 'work',
        start: 1_750_000_000_123_456,
        end: 1_750_000_002_000_001,
        isError: true,
        attributes: { text: 'ü', whole: -7, large: 2 ** 40, part: 0.5, yes: true, list: ['a', 'b'] },
      },
    ],
  });
  const { operations } = readTraces(fromProtobuf, undefined);
  expect(operations[0]).toMatchObject({
    start_time: '2025-06-15T15:06:40.123456Z',
    values: { error: expect.stringMatching(/^TypeError: no\n/) },
  });
});

test('keeps links, trace state, scope and dropped counts of a span', () => {
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    spanLimits: {
      attributeCountLimit: 1,
      eventCountLimit: 1,
      linkCountLimit: 1,
      attributePerEventCountLimit: 1,
    },
  });
  exporter.reset();
  const linked = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
  const span = provider
    .getTracer('t', '2', { schemaUrl: 'https://example.com/schema' })
    .startSpan('work', { links: [{ context: linked }, { context: linked, attributes: { why: 'batch' } }] });
  Object.assign(span.spanContext(), { traceState: { serialize: () => 'vendor=1' } });
  span.setAttributes({ kept: 1, dropped: 2 });
  span.addEvent('one').addEvent('two', { a: 1, b: 2 });
  span.end();
  const spans = exporter.getFinishedSpans();
  for (const groups of [
    readProtobuf(Buffer.from(ProtobufTraceSerializer.serializeRequest(spans)!), 10),
    readJson(Buffer.from(JsonTraceSerializer.serializeRequest(spans)!), 10),
  ]) {
    const [operation] = readTraces(groups, undefined).operations;
    expect((operation!.parsed.extra as { otel: object }).otel).toMatchObject({
      schema_url: 'https://example.com/schema',
      trace_state: 'vendor=1',
      dropped_attributes_count: 1,
      dropped_events_count: 1,
      dropped_links_count: 1,
      links: [{ trace_id: linked.traceId, span_id: linked.spanId, attributes: { why: 'batch' } }],
    });
    expect(operation!.parsed.events).toEqual([
      expect.objectContaining({ name: 'two', kwargs: { a: 1 }, dropped_attributes_count: 1 }),
    ]);
  }
});

test('keeps scope attributes, dropped resource counts and status messages', () => {
  const request = otlpRequest([
    { name: 'work', status: { code: 1, message: 'fine' }, attributes: {} },
  ]) as any;
  Object.assign(request.resourceSpans[0].resource, { droppedAttributesCount: 3 });
  request.resourceSpans[0].scopeSpans[0].scope.attributes = [{ key: 'team', value: { stringValue: 'a' } }];
  const { operations } = readTraces(readJson(Buffer.from(JSON.stringify(request)), 10), undefined);
  expect(operations[0]!.parsed.extra).toMatchObject({
    otel: {
      scope: { name: 'test', attributes: { team: 'a' } },
      resource_dropped_attributes_count: 3,
      status_message: 'fine',
    },
  });
});

test('reads arbitrary protobuf or rejects it with a reason', () => {
  const whole = Buffer.from(ProtobufTraceSerializer.serializeRequest(exported())!);
  const read = (bytes: Buffer): unknown => {
    try {
      return readTraces(readProtobuf(bytes, 100), undefined).refusals.length;
    } catch (error) {
      expect(error).toBeInstanceOf(PublicError);
      return (error as PublicError).status;
    }
  };
  for (let end = 1; end < whole.length; end++) expect(read(whole.subarray(0, end))).toBe(400);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(whole);
      changed[at] = byte;
      read(changed);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void read(Buffer.from(bytes))),
    {
      numRuns: 500,
    },
  );
});

test('reads arbitrary JSON or rejects it with a reason', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.constantFrom('resourceSpans', 'spans', 'attributes', 'resource'),
      (json, key) => {
        const value: unknown = JSON.parse(json);
        const whole = { resourceSpans: [{ [key]: value, scopeSpans: [{ [key]: value, spans: [value] }] }] };
        expect(readTraces(readJson(Buffer.from(JSON.stringify(whole)), 1_000), undefined).operations).toEqual(
          [],
        );
      },
    ),
    { numRuns: 500 },
  );
  expect(readJson(Buffer.alloc(0), 1)).toEqual([]);
  expect(() => readJson(Buffer.from('nonsense'), 1)).toThrow('not a JSON object');
});

test('rejects invalid spans one by one, and requests with too many spans entirely', () => {
  const attributes = {};
  const spans = [
    { name: 'good', attributes },
    { name: 'no id', spanId: '0000000000000000', attributes },
    { name: 'no trace', traceId: 'xyz', attributes },
    { name: 'no example', attributes: { 'langsmith.reference_example_id': 'first' } },
  ];
  const bytes = Buffer.from(JSON.stringify(otlpRequest(spans)));
  const { operations, refusals } = readTraces(readJson(bytes, 4), undefined);
  expect(operations.map(({ values }) => values.name)).toEqual(['good']);
  expect(refusals.map(({ detail }) => detail)).toEqual([
    'the span has no 8-byte id',
    'the span has no 16-byte trace id',
    'reference_example_id is not a UUID',
  ]);
  expect(() => readJson(bytes, 3)).toThrow('at most 3 spans');
  expect(
    ProtobufTraceSerializer.deserializeResponse(protobufResponse({ rejected: 300, message: 'ä' })),
  ).toEqual({
    partialSuccess: { rejectedSpans: 300, errorMessage: 'ä' },
  });
});

test('reads Python dict literals', () => {
  expect(
    readPythonLiteral(
      `{'a': 1, "b": [True, None, -2.5e3, (1,)], 'it\\'s': 'x\\n\\u00e9', 'e': {}, 3: b'q', 'n': nan}`,
    ),
  ).toEqual({ a: 1, b: [true, null, -2500, [1]], "it's": 'x\né', e: {}, 3: 'q', n: null });
  for (const text of ['{', "{'a'}", "{'a': }", 'x', "{'a': 1} b", '['.repeat(1_000), 'datetime(1, 2)'])
    expect(readPythonLiteral(text)).toBeUndefined();
});

test('keeps all digits of integers and rejects only the span nested too deeply', () => {
  const span = (spanId: string, value: string) =>
    `{"traceId":"${'a'.repeat(32)}","spanId":"${spanId}","startTimeUnixNano":1750000000123456789,"attributes":[{"key":"k","value":${value}}]}`;
  const deep = `${'{"arrayValue":{"values":['.repeat(150)}{"intValue":1}${']}}'.repeat(150)}`;
  const spans = [
    span('1'.repeat(16), '{"intValue":-9223372036854775808}'),
    span('2'.repeat(16), deep),
    span('3'.repeat(16), '{"doubleValue":12345678901234567000}'),
  ];
  const groups = readJson(
    Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join()}]}]}]}`),
    10,
  );
  expect(groups[0]!.spans[0]).toMatchObject({
    start: 1_750_000_000_123_456,
    attributes: { k: '-9223372036854775808' },
  });
  const { operations, refusals } = readTraces(groups, undefined);
  expect(operations.map(({ metadata }) => metadata)).toEqual([
    { k: '-9223372036854775808' },
    { k: 12_345_678_901_234_567_000 },
  ]);
  expect(refusals).toEqual([
    { run_id: null, detail: 'An attribute may not be nested deeper than 100 levels' },
  ]);
});
