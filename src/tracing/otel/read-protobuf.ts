import {
  type Attributes,
  emptySpan,
  ERROR_STATUS,
  type OtelEvent,
  type OtelSpan,
  readable,
  setAttribute,
  type SpanGroup,
} from './otel-span.ts';
import { DEEPEST, TooDeep, TooManySpans } from './invalid-traces.ts';
import { WireReader } from './wire-reader.ts';

/**
 * Reads an ExportTraceServiceRequest, field by field of the public OTLP definitions; what they do not name is passed
 * over. Throws InvalidTraces for what is none, TooManySpans.
 */
export function readProtobuf(bytes: Buffer, mostSpans: number): SpanGroup[] {
  const groups: SpanGroup[] = [];
  const count = { left: mostSpans, most: mostSpans };
  const request = new WireReader(bytes);
  for (let field = request.field(); field !== 0; field = request.field())
    if (field === 1) readResourceSpans(request.message(), groups, count);
    else request.skip();
  return groups;
}

interface Count {
  left: number;
  most: number;
}

function readResourceSpans(message: WireReader, groups: SpanGroup[], count: Count): void {
  const resource: Attributes = {};
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readResource(message.message(), resource);
    else if (field === 2) groups.push(readScopeSpans(message.message(), resource, count));
    else message.skip();
}

function readResource(message: WireReader, resource: Attributes): void {
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readKeyValue(message.message(), resource, 0);
    else message.skip();
}

function readScopeSpans(message: WireReader, resource: Attributes, count: Count): SpanGroup {
  const group: SpanGroup = { resource, scope: { name: '', version: '' }, spans: [] };
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readScope(message.message(), group.scope);
    else if (field === 2) {
      if (count.left-- === 0) throw new TooManySpans(count.most);
      const span = message.message();
      group.spans.push(readable(() => readSpan(span)));
    } else message.skip();
  return group;
}

function readScope(message: WireReader, scope: SpanGroup['scope']): void {
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) scope.name = message.text();
    else if (field === 2) scope.version = message.text();
    else message.skip();
}

function readSpan(message: WireReader): OtelSpan {
  const span = emptySpan();
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) span.traceId = message.bytes('hex');
    else if (field === 2) span.spanId = message.bytes('hex');
    else if (field === 4) span.parentSpanId = message.bytes('hex');
    else if (field === 5) span.name = message.text();
    else if (field === 6) span.kind = message.uint();
    else if (field === 7) span.start = message.nanos();
    else if (field === 8) span.end = message.nanos();
    else if (field === 9) readKeyValue(message.message(), span.attributes, 0);
    else if (field === 11) span.events.push(readEvent(message.message()));
    else if (field === 15) readStatus(message.message(), span);
    else message.skip();
  return span;
}

function readEvent(message: WireReader): OtelEvent {
  const event: OtelEvent = { name: '', time: 0, attributes: {} };
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) event.time = message.nanos();
    else if (field === 2) event.name = message.text();
    else if (field === 3) readKeyValue(message.message(), event.attributes, 0);
    else message.skip();
  return event;
}

function readStatus(message: WireReader, span: OtelSpan): void {
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 2) span.statusMessage = message.text();
    else if (field === 3) span.isError = message.uint() === ERROR_STATUS;
    else message.skip();
}

export function readKeyValue(message: WireReader, into: Attributes, depth: number): void {
  let key = '';
  let value: unknown = null;
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) key = message.text();
    else if (field === 2) value = readValue(message.message(), depth);
    else message.skip();
  setAttribute(into, key, value);
}

/** AnyValue: text, truth, number, list, object; bytes are base64. Throws TooDeep. */
export function readValue(message: WireReader, depth: number): unknown {
  let value: unknown = null;
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) value = message.text();
    else if (field === 2) value = message.uint() !== 0;
    else if (field === 3) value = message.int64();
    else if (field === 4) value = message.double();
    else if (field === 7) value = message.bytes('base64');
    else if (field === 5 || field === 6) {
      if (depth >= DEEPEST) throw new TooDeep();
      value = field === 5 ? readList(message.message(), depth + 1) : readObject(message.message(), depth + 1);
    } else message.skip();
  return value;
}

function readList(message: WireReader, depth: number): unknown[] {
  const items: unknown[] = [];
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) items.push(readValue(message.message(), depth));
    else message.skip();
  return items;
}

function readObject(message: WireReader, depth: number): Attributes {
  const object: Attributes = {};
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readKeyValue(message.message(), object, depth);
    else message.skip();
  return object;
}
