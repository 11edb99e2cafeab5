import type { OtelSpan, SpanGroup } from './otel-span.ts';
import { runTypeOf } from './run-types.ts';
import { ownsUsage, usageOf } from './span-usage.ts';

// Far more than instrumentations nest; ids that name each other must not be followed for ever.
const MOST_STEPS = 100;

/**
 * Model calls around a model call that tells its own tokens: two instrumentations saw one call. The inner one counts;
 * the outer ones are steps of the program.
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
    for (let step = 0; outer && outer !== call && step < MOST_STEPS; step++) {
      if (calls.has(outer)) around.add(outer);
      outer = byId.get(outer.traceId + outer.parentSpanId);
    }
  }
  return around;
}
