import { TooDeep } from './invalid-traces.ts';

/** Attributes by key. The last duplicate wins. */
export type Attributes = Record<string, unknown>;

export interface OtelEvent {
  name: string;
  /** Microseconds since 1970. */
  time: number;
  attributes: Attributes;
  rest?: Rest;
}

/** Remaining non-empty fields of an OTLP message, in snake case. */
export type Rest = Attributes;

export interface OtelLink extends Rest {
  trace_id: string;
  span_id: string;
}

/** A span decoded from either OTLP encoding (contract §1.9). Ids are lower-case hex; empty if missing. */
export interface OtelSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  /** Microseconds since 1970; 0 if missing. */
  start: number;
  end: number;
  attributes: Attributes;
  events: OtelEvent[];
  isError: boolean;
  statusMessage: string;
  rest: Rest;
  links: OtelLink[];
  /** Why the span was rejected, if it cannot be read. */
  fault?: string;
}

/** Spans of one resource and scope. */
export interface SpanGroup {
  resource: Attributes;
  scope: { name: string; version: string } & Rest;
  /** Remaining fields of the resource and scope. */
  rest: Rest;
  spans: OtelSpan[];
}

export const ERROR_STATUS = 2;

/** Microseconds from the two halves of a 64-bit nanosecond count, which a number cannot hold. */
export function microsOf(high: number, low: number): number {
  const thousands = Math.floor(high / 1000);
  return thousands * 2 ** 32 + Math.floor(((high % 1000) * 2 ** 32 + low) / 1000);
}

/** Reads a span. A span nested too deeply is rejected without affecting others. */
export function readable(read: () => OtelSpan): OtelSpan {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { ...emptySpan(), fault: error.message };
  }
}

export const emptySpan = (): OtelSpan => ({
  traceId: '',
  spanId: '',
  parentSpanId: '',
  name: '',
  kind: 0,
  start: 0,
  end: 0,
  attributes: {},
  events: [],
  isError: false,
  statusMessage: '',
  rest: {},
  links: [],
});

/** Sets a key safely even if it is called `__proto__`. */
export function setAttribute(attributes: Attributes, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(attributes, key, { value, enumerable: true, writable: true });
  else attributes[key] = value;
}

/** Adds a value unless it is empty. */
export function note(rest: Rest, name: string, value: unknown): void {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (value && !isEmpty) rest[name] = value;
}
