import { gzipSync } from 'node:zlib';
import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type LoggedRun, RUNS_OF_A_TRACE, TEXT, textOf, traceOf } from './corpus.ts';

/** A request, built before timing starts. */
export interface Batch {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  runs: LoggedRun[];
}

export const BATCH_RUNS = 100;
const BOUNDARY = '----LangSmithFormBoundaryBench';

/** `/runs/multipart` as the JavaScript SDK sends it: a part per field, compressed by gzip. */
export function multipartBatch(runs: LoggedRun[]): Batch {
  const parts: string[] = [];
  const add = (name: string, value: unknown): void => {
    const text = JSON.stringify(value);
    parts.push(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n`,
      `Content-Type: application/json; length=${Buffer.byteLength(text)}\r\n\r\n${text}\r\n`,
    );
  };
  for (const { inputs, outputs, extra, error, ...main } of runs) {
    add(`post.${main.id}`, main);
    add(`post.${main.id}.inputs`, inputs);
    add(`post.${main.id}.outputs`, outputs);
    add(`post.${main.id}.extra`, extra);
    if (error) add(`post.${main.id}.error`, error);
  }
  return {
    path: '/runs/multipart',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-encoding': 'gzip' },
    body: gzipSync(`${parts.join('')}--${BOUNDARY}--\r\n`),
    runs,
  };
}

/** A request whose runs have so many bytes of text each. */
export const multipartOf = (session: string, text = TEXT): Batch =>
  multipartBatch(
    Array.from({ length: BATCH_RUNS / RUNS_OF_A_TRACE }, () =>
      traceOf(session, RUNS_OF_A_TRACE, text),
    ).flat(),
  );

const memory = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
const tracer = provider.getTracer('bench');

/** `/otel/v1/traces` as an exporter of OpenTelemetry sends it, in protobuf: children before their parents. */
export function otlpOf(session: string): Batch {
  memory.reset();
  for (let at = 0; at < BATCH_RUNS; at += RUNS_OF_A_TRACE) {
    const root = tracer.startSpan('agent', { attributes: attributesOf(at) });
    const inside = trace.setSpan(ROOT_CONTEXT, root);
    for (let child = 1; child < RUNS_OF_A_TRACE; child++) addSpan(at + child, inside);
    root.end();
  }
  return {
    path: '/otel/v1/traces',
    headers: { 'content-type': 'application/x-protobuf', 'langsmith-project': session },
    body: Buffer.from(ProtobufTraceSerializer.serializeRequest(memory.getFinishedSpans())!),
    runs: Array.from({ length: BATCH_RUNS }) as LoggedRun[],
  };
}

const addSpan = (index: number, parent: Context): void =>
  tracer.startSpan(`chat ${index % 7}`, { attributes: attributesOf(index) }, parent).end();

const message = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

const attributesOf = (index: number) => ({
  'gen_ai.operation.name': index % 3 === 0 ? 'chat' : 'execute_tool',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o-mini',
  'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
  'gen_ai.conversation.id': `thread-${index}`,
  'gen_ai.input.messages': JSON.stringify([message('system', textOf(275)), message('user', textOf(825))]),
  'gen_ai.output.messages': JSON.stringify([{ ...message('assistant', textOf(750)), finish_reason: 'stop' }]),
  'gen_ai.usage.input_tokens': 300,
  'gen_ai.usage.output_tokens': 170,
});
