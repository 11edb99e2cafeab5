import {
  type Attributes,
  emptySpan,
  ERROR_STATUS,
  note,
  type OtelEvent,
  type OtelLink,
  type OtelSpan,
  readable,
  type Rest,
  setAttribute,
  type SpanGroup,
} from './otel-span.ts';
import { MAX_DEPTH, TooDeep, TooManySpans } from './invalid-traces.ts';
import { WireReader } from './wire-reader.ts';

/**
 * Reads an ExportTraceServiceRequest in protobuf by the public OTLP definitions and ignores unknown fields. Throws
 * InvalidTraces, TooManySpans.
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
  const rest: Rest = {};
  const found: SpanGroup[] = [];
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readResource(message.message(), resource, rest);
    else if (field === 2) found.push(readScopeSpans(message.message(), resource, count));
    else if (field === 3) note(rest, 'resource_schema_url', message.text());
    else message.skip();
  for (const group of found) groups.push({ ...group, rest: { ...rest, ...group.rest } });
}

function readResource(message: WireReader, resource: Attributes, rest: Rest): void {
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readKeyValue(message.message(), resource, 0);
    else if (field === 2) note(rest, 'resource_dropped_attributes_count', message.uint());
    else message.skip();
}

function readScopeSpans(message: WireReader, resource: Attributes, count: Count): SpanGroup {
  const group: SpanGroup = { resource, scope: { name: '', version: '' }, rest: {}, spans: [] };
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) readScope(message.message(), group.scope);
    else if (field === 2) {
      if (count.left-- === 0) throw new TooManySpans(count.most);
      const span = message.message();
      group.spans.push(readable(() => readSpan(span)));
    } else if (field === 3) note(group.rest, 'schema_url', message.text());
    else message.skip();
  return group;
}

function readScope(message: WireReader, scope: SpanGroup['scope']): void {
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) scope.name = message.text();
    else if (field === 2) scope.version = message.text();
    else if (field === 3) readKeyValue(message.message(), (scope['attributes'] ??= {}) as Attributes, 0);
    else if (field === 4) note(scope, 'dropped_attributes_count', message.uint());
    else message.skip();
}

function readSpan(message: WireReader): OtelSpan {
  const span = emptySpan();
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) span.traceId = message.bytes('hex');
    else if (field === 2) span.spanId = message.bytes('hex');
    else if (field === 3) note(span.rest, 'trace_state', message.text());
    else if (field === 4) span.parentSpanId = message.bytes('hex');
    else if (field === 5) span.name = message.text();
    else if (field === 6) span.kind = message.uint();
    else if (field === 7) span.start = message.nanos();
    else if (field === 8) span.end = message.nanos();
    else if (field === 9) readKeyValue(message.message(), span.attributes, 0);
    else if (field === 10) note(span.rest, 'dropped_attributes_count', message.uint());
    else if (field === 11) span.events.push(readEvent(message.message()));
    else if (field === 12) note(span.rest, 'dropped_events_count', message.uint());
    else if (field === 13) span.links.push(readLink(message.message()));
    else if (field === 14) note(span.rest, 'dropped_links_count', message.uint());
    else if (field === 15) readStatus(message.message(), span);
    else if (field === 16) note(span.rest, 'flags', message.fixed32());
    else message.skip();
  return span;
}

function readLink(message: WireReader): OtelLink {
  const link: OtelLink = { trace_id: '', span_id: '' };
  const attributes: Attributes = {};
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) link.trace_id = message.bytes('hex');
    else if (field === 2) link.span_id = message.bytes('hex');
    else if (field === 3) note(link, 'trace_state', message.text());
    else if (field === 4) readKeyValue(message.message(), attributes, 0);
    else if (field === 5) note(link, 'dropped_attributes_count', message.uint());
    else if (field === 6) note(link, 'flags', message.fixed32());
    else message.skip();
  note(link, 'attributes', attributes);
  return link;
}

function readEvent(message: WireReader): OtelEvent {
  const rest: Rest = {};
  const event: OtelEvent = { name: '', time: 0, attributes: {}, rest };
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) event.time = message.nanos();
    else if (field === 2) event.name = message.text();
    else if (field === 3) readKeyValue(message.message(), event.attributes, 0);
    else if (field === 4) note(rest, 'dropped_attributes_count', message.uint());
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

/** Reads an AnyValue: string, boolean, number, list or object; bytes become base64. Throws TooDeep. */
export function readValue(message: WireReader, depth: number): unknown {
  let value: unknown = null;
  for (let field = message.field(); field !== 0; field = message.field())
    if (field === 1) value = message.text();
    else if (field === 2) value = message.uint() !== 0;
    else if (field === 3) value = message.int64();
    else if (field === 4) value = message.double();
    else if (field === 7) value = message.bytes('base64');
    else if (field === 5 || field === 6) {
      if (depth >= MAX_DEPTH) throw new TooDeep();
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
