import { TooDeep } from './invalid-traces.ts';

/** Attributes by key. A key that occurs twice has its last value. */
export type Attributes = Record<string, unknown>;

export interface OtelEvent {
  name: string;
  /** Microseconds since 1970. */
  time: number;
  attributes: Attributes;
  rest?: Rest;
}

/** What a message says beside what runs are made of, by the names of OTLP in snake case; nothing empty. */
export type Rest = Attributes;

/** A span that another one names. */
export interface OtelLink extends Rest {
  trace_id: string;
  span_id: string;
}

/** A span as both encodings of OTLP tell it (contract §1.9). Ids are hex in lower case; empty where there is none. */
export interface OtelSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  /** Microseconds since 1970; 0 where it was not said. */
  start: number;
  end: number;
  attributes: Attributes;
  events: OtelEvent[];
  isError: boolean;
  statusMessage: string;
  rest: Rest;
  links: OtelLink[];
  /** Why it cannot be a run, where it cannot be read. */
  fault?: string;
}

/** Spans of one process and one instrumentation of it. */
export interface SpanGroup {
  resource: Attributes;
  scope: { name: string; version: string } & Rest;
  /** Of the resource and of its scope, for all these spans. */
  rest: Rest;
  spans: OtelSpan[];
}

export const ERROR_STATUS = 2;

/** Microseconds from halves of a 64-bit count of nanoseconds, which is more than a number holds. */
export function microsOf(high: number, low: number): number {
  const thousands = Math.floor(high / 1000);
  return thousands * 2 ** 32 + Math.floor(((high % 1000) * 2 ** 32 + low) / 1000);
}

/** Reads a span; one that is nested too deep is refused alone. */
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

/** Sets a key that may be named like what every object inherits. */
export function setAttribute(attributes: Attributes, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(attributes, key, { value, enumerable: true, writable: true });
  else attributes[key] = value;
}

/** Adds what a message says under that name, unless it is nothing. */
export function note(rest: Rest, name: string, value: unknown): void {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (value && !isEmpty) rest[name] = value;
}
