import { InvalidRun } from '../errors.ts';
import { textOf } from './attribute-values.ts';
import type { Attributes, OtelSpan } from './otel-span.ts';

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** Run id of a span. */
export const runIdOf = (spanId: string): string =>
  `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`;

export const isSpan = (traceId: string, spanId: string): boolean =>
  TRACE_ID.test(traceId) && SPAN_ID.test(spanId);

/** Trace id for a trace of spans. */
export const traceIdOf = (traceId: string): string =>
  [
    traceId.slice(0, 8),
    traceId.slice(8, 12),
    traceId.slice(12, 16),
    traceId.slice(16, 20),
    traceId.slice(20),
  ].join('-');

/**
 * Position of a span's run in its trace (contract §1.9), from SDK attributes or else from span ids. A root's id
 * differs from its trace id. Throws InvalidRun.
 */
export function positionOf(span: OtelSpan, attributes: Attributes): Attributes {
  if (!TRACE_ID.test(span.traceId)) throw new InvalidRun('', 'the span has no 16-byte trace id');
  if (!SPAN_ID.test(span.spanId)) throw new InvalidRun('', 'the span has no 8-byte id');
  const id = runIdOf(span.spanId);
  if (span.start <= 0) throw new InvalidRun(id, 'the span has no start time');
  const dotted_order = textOf(attributes['langsmith.span.dotted_order']);
  const isChild = SPAN_ID.test(span.parentSpanId) && !isTrue(attributes['langsmith.is_root']);
  return {
    id: textOf(attributes['langsmith.span.id']) ?? dotted_order?.slice(-36) ?? id,
    trace_id:
      textOf(attributes['langsmith.trace.id']) ?? (dotted_order ? undefined : traceIdOf(span.traceId)),
    parent_run_id:
      textOf(attributes['langsmith.span.parent_id']) ?? (isChild ? runIdOf(span.parentSpanId) : undefined),
    dotted_order,
  };
}

const isTrue = (value: unknown): boolean => value === true || value === 'true';
