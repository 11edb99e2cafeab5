import { type Parsed, parseLoose } from '../json/loose-json.ts';
import { replaceNumbers } from '../json/json-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import { MAX_DEPTH, InvalidTraces, TooDeep, TooManySpans } from './invalid-traces.ts';
import {
  type Attributes,
  ERROR_STATUS,
  microsOf,
  note,
  type OtelEvent,
  type OtelLink,
  type OtelSpan,
  readable,
  type Rest,
  setAttribute,
  type SpanGroup,
} from './otel-span.ts';

export type Fields = Record<string, unknown>;

/**
 * Reads an ExportTraceServiceRequest in JSON: ids are hex, 64-bit numbers strings or numbers, enumerations numbers or
 * names (contract §1.9). Throws InvalidTraces, TooManySpans.
 */
export function readJson(bytes: Buffer, mostSpans: number): SpanGroup[] {
  const parsed = bytes.length === 0 ? { value: {} } : parseQuoted(bytes);
  if (!parsed || !isObject(parsed.value)) throw new InvalidTraces('The body is not a JSON object');
  const groups: SpanGroup[] = [];
  let left = mostSpans;
  for (const resourceSpans of objectsOf(parsed.value, 'resourceSpans', 'resource_spans')) {
    const resourceFields = fieldOf(resourceSpans, 'resource');
    const resource = attributesOf(resourceFields);
    const rest = {
      ...prefixed('resource_', restOf(resourceFields)),
      ...prefixed('resource_', restOf(resourceSpans)),
    };
    for (const scopeSpans of objectsOf(resourceSpans, 'scopeSpans', 'scope_spans')) {
      const spans = objectsOf(scopeSpans, 'spans');
      if (spans.length > left) throw new TooManySpans(mostSpans);
      left -= spans.length;
      const scope = fieldOf(scopeSpans, 'scope');
      groups.push({
        resource,
        scope: {
          name: textOf(scope['name']),
          version: textOf(scope['version']),
          ...restOf(scope, { attributes: attributesOf(scope) }),
        },
        rest: { ...rest, ...restOf(scopeSpans) },
        spans: spans.map((span) => readable(() => readSpan(span))),
      });
    }
  }
  return groups;
}

const LARGE_INTEGER = /^-?\d{16,}$/;
const quoted = (number: string) => (LARGE_INTEGER.test(number) ? `"${number}"` : undefined);

/** Turns integers beyond 2^53 into strings, as OTLP allows, to keep all digits. */
export function parseQuoted(bytes: Buffer): Parsed | undefined {
  const parsed = parseLoose(bytes);
  return parsed?.isExact === false ? parseLoose(replaceNumbers(parsed.text, quoted)) : parsed;
}

function readSpan(span: Fields): OtelSpan {
  const status = fieldOf(span, 'status');
  return {
    traceId: textOf(span['traceId'] ?? span['trace_id']).toLowerCase(),
    spanId: textOf(span['spanId'] ?? span['span_id']).toLowerCase(),
    parentSpanId: textOf(span['parentSpanId'] ?? span['parent_span_id']).toLowerCase(),
    name: textOf(span['name']),
    kind: typeof span['kind'] === 'number' ? span['kind'] : 0,
    start: readNanos(span['startTimeUnixNano'] ?? span['start_time_unix_nano']),
    end: readNanos(span['endTimeUnixNano'] ?? span['end_time_unix_nano']),
    attributes: attributesOf(span),
    events: objectsOf(span, 'events').map(readEvent),
    isError: status['code'] === ERROR_STATUS || status['code'] === 'STATUS_CODE_ERROR',
    statusMessage: textOf(status['message']),
    rest: restOf(span),
    links: objectsOf(span, 'links').map(readLink),
  };
}

const readLink = (link: Fields): OtelLink => ({
  trace_id: textOf(link['traceId'] ?? link['trace_id']).toLowerCase(),
  span_id: textOf(link['spanId'] ?? link['span_id']).toLowerCase(),
  ...restOf(link, { attributes: attributesOf(link) }),
});

const REST = {
  trace_state: 'traceState',
  flags: 'flags',
  dropped_attributes_count: 'droppedAttributesCount',
  dropped_events_count: 'droppedEventsCount',
  dropped_links_count: 'droppedLinksCount',
  schema_url: 'schemaUrl',
};

function restOf(message: Fields, more: Rest = {}): Rest {
  const rest: Rest = {};
  for (const [name, camel] of Object.entries(REST)) {
    const value = message[camel] ?? message[name];
    if (typeof value === 'string' || typeof value === 'number') note(rest, name, value);
  }
  for (const [name, value] of Object.entries(more)) note(rest, name, value);
  return rest;
}

const prefixed = (prefix: string, rest: Rest): Rest =>
  Object.fromEntries(Object.entries(rest).map(([name, value]) => [prefix + name, value]));

const readEvent = (event: Fields): OtelEvent => ({
  name: textOf(event['name']),
  time: readNanos(event['timeUnixNano'] ?? event['time_unix_nano']),
  attributes: attributesOf(event),
  rest: restOf(event),
});

/** Accepts nanoseconds as a string or, with less precision, as a number. */
export function readNanos(value: unknown): number {
  if (typeof value === 'number') return value > 0 ? Math.floor(value / 1000) : 0;
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return 0;
  const nanos = BigInt.asUintN(64, BigInt(value));
  return microsOf(Number(nanos >> 32n), Number(nanos & 0xffff_ffffn));
}

export function attributesOf(holder: Fields): Attributes {
  const attributes: Attributes = {};
  for (const { key, value } of objectsOf(holder, 'attributes'))
    setAttribute(attributes, textOf(key), readValue(value, 0));
  return attributes;
}

export function readValue(value: unknown, depth: number): unknown {
  if (!isObject(value)) return null;
  if (depth > MAX_DEPTH) throw new TooDeep();
  const [kind, inner] = Object.entries(value)[0] ?? [];
  switch (kind) {
    case 'intValue':
    case 'int_value':
      return readInt(inner);
    case 'arrayValue':
    case 'array_value':
      return listOf(fieldOf(value, kind)['values']).map((item) => readValue(item, depth + 1));
    case 'kvlistValue':
    case 'kvlist_value': {
      const object: Attributes = {};
      for (const pair of listOf(fieldOf(value, kind)['values']).filter(isObject))
        setAttribute(object, textOf(pair['key']), readValue(pair['value'], depth + 1));
      return object;
    }
    case 'doubleValue':
    case 'double_value':
      return typeof inner === 'string' && Number.isFinite(Number(inner)) ? Number(inner) : (inner ?? null);
    default:
      return inner ?? null;
  }
}

function readInt(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const fieldOf = (holder: Fields, key: string): Fields => (isObject(holder[key]) ? holder[key] : {});
export const objectsOf = (holder: Fields, ...names: string[]): Fields[] =>
  listOf(holder[names.find((name) => name in holder) ?? '']).filter(isObject);
