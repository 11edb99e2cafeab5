import type { OtelSpan, SpanGroup } from './otel-span.ts';
import { runTypeOf } from './run-types.ts';
import { ownsUsage, usageOf } from './span-usage.ts';

// Far deeper than real nesting; guards against cycles of ids.
const MAX_STEPS = 100;

/**
 * Model calls around another model call with usage, which happens when two instrumentations report the same call.
 * Only the inner one counts; the outer ones become chains.
 */
export function callsAroundCalls(groups: SpanGroup[]): ReadonlySet<OtelSpan> {
  const spans = groups.flatMap((group) => group.spans);
  const calls = new Set(spans.filter(({ attributes }) => ownsUsage(runTypeOf(attributes))));
  const around = new Set<OtelSpan>();
  if (calls.size < 2) return around;
  const byId = new Map(spans.map((span) => [span.traceId + span.spanId, span]));
  for (const call of calls) {
    if (usageOf(call.attributes) === undefined) continue;
    let outer = byId.get(call.traceId + call.parentSpanId);
    for (let step = 0; outer && outer !== call && step < MAX_STEPS; step++) {
      if (calls.has(outer)) around.add(outer);
      outer = byId.get(outer.traceId + outer.parentSpanId);
    }
  }
  return around;
}
