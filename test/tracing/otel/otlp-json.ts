export interface PlainSpan {
  name: string;
  kind?: number;
  spanId?: string;
  traceId?: string;
  parentSpanId?: string;
  status?: { code: number; message?: string };
  attributes: Record<string, unknown>;
  /** `at` is in milliseconds since the start of the span. */
  events?: { name: string; at: number; attributes: Record<string, unknown> }[];
}

export const START_MS = Date.parse('2025-06-01T10:00:00Z');
export const TRACE_ID = '5b8efff798038103d269b633813fc60c';

/** An OTLP request in JSON with these spans, as an exporter sends it. */
export const otlpRequest = (spans: PlainSpan[], resource: Record<string, unknown> = {}): object => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: 'test', version: '1' }, spans: spans.map(otlpSpan) }],
    },
  ],
});

const otlpSpan = ({ attributes, events = [], ...span }: PlainSpan, index: number): object => ({
  traceId: TRACE_ID,
  spanId: (index + 1).toString(16).padStart(16, '0'),
  kind: 1,
  startTimeUnixNano: `${START_MS}000000`,
  endTimeUnixNano: `${START_MS + 1000}000000`,
  ...span,
  attributes: keyValues(attributes),
  events: events.map(({ name, at, attributes: said }) => ({
    name,
    timeUnixNano: `${START_MS + at}000000`,
    attributes: keyValues(said),
  })),
});

const keyValues = (attributes: Record<string, unknown>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return value === null ? {} : { kvlistValue: { values: keyValues(value as Record<string, unknown>) } };
}
