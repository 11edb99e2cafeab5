import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { RunOperation } from '../../../src/tracing/ingest/run-operation.ts';
import { readJson } from '../../../src/tracing/otel/read-json.ts';
import { readTraces } from '../../../src/tracing/otel/read-traces.ts';
import { otlpRequest, type PlainSpan } from './otlp-json.ts';

interface Case {
  source: string;
  span: PlainSpan;
  /** Expected fields; null means that the field must be missing. */
  run: Record<string, unknown>;
}

const FOLDER = new URL('corpus/', import.meta.url);
const RESOURCE = { 'service.name': 'shop', 'telemetry.sdk.language': 'python' };

const cases = readdirSync(FOLDER).map((file) => {
  const { source, span, run } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Case;
  return { file, source, span, run };
});

test.each(cases)('$file: $source', ({ span, run }) => {
  const bytes = Buffer.from(JSON.stringify(otlpRequest([span], RESOURCE)));
  const { operations, refusals } = readTraces(readJson(bytes, 10), 'by-header');
  expect(refusals).toEqual([]);
  const fields = describe(operations[0]!);
  for (const [field, expected] of Object.entries(run))
    expect([field, fields[field] ?? null]).toEqual([field, expected]);
});

test("counts nested model spans of two instrumentations once and keeps the outer span's data", () => {
  const used = { 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.output_tokens': 12 };
  const [outerId, stepId, innerId] = ['0a', '0b', '0c'].map((id) => id.padStart(16, '0'));
  const spans = (inner: Record<string, unknown>): PlainSpan[] => [
    {
      name: 'inner',
      spanId: innerId!,
      parentSpanId: stepId!,
      attributes: { 'gen_ai.operation.name': 'chat', ...inner },
    },
    { name: 'step', spanId: stepId!, parentSpanId: outerId!, attributes: {} },
    { name: 'outer', spanId: outerId!, attributes: { 'gen_ai.operation.name': 'acompletion', ...used } },
  ];
  const described = (inner: Record<string, unknown>) => {
    const bytes = Buffer.from(JSON.stringify(otlpRequest(spans(inner))));
    return readTraces(readJson(bytes, 10), undefined).operations.map(describe);
  };
  const [inner, , outer] = described(used);
  expect(inner).toMatchObject({ run_type: 'llm', outputs: { usage_metadata: { total_tokens: 62 } } });
  expect(outer).toMatchObject({ run_type: 'chain', metadata: used });
  expect(outer!['outputs']).toBeUndefined();
  // An inner call without usage leaves it to the outer one.
  const [silent, , counted] = described({});
  expect(silent!['outputs']).toBeUndefined();
  expect(counted).toMatchObject({ run_type: 'llm', outputs: { usage_metadata: { total_tokens: 62 } } });
});

function describe({ id, start_time, position, session, values, tags, metadata, bodies }: RunOperation) {
  const body = (column: keyof typeof bodies): unknown =>
    bodies[column] && (JSON.parse(bodies[column].toString('utf8')) as unknown);
  const extra = body('extra') as Record<string, Record<string, unknown>>;
  return {
    id,
    start_time,
    ...position,
    project: session.name,
    ...values,
    status: values.error === undefined ? 'success' : 'error',
    tags,
    metadata,
    ls_provider: metadata?.['ls_provider'],
    ls_model_name: metadata?.['ls_model_name'],
    inputs: body('inputs'),
    outputs: body('outputs'),
    events: body('events'),
    runtime: extra['runtime'],
    invocation_params: extra['invocation_params'],
    otel_attributes: extra['otel']?.['attributes'],
  } as Record<string, unknown>;
}
