import type { Family } from '../family.ts';

/** Attributes of the SDKs, set in OpenTelemetry mode or by hand. */
export const langsmith: Family = {
  usage: {
    'langsmith.usage_metadata': '',
    'langsmith.metadata.usage_metadata': '',
  },
  tags: ['langsmith.span.tags'],
  metadata: {
    'langsmith.metadata.': '',
  },
  own: [
    'langsmith.trace.name',
    'langsmith.trace.id',
    'langsmith.trace.session_id',
    'langsmith.trace.session_name',
    'langsmith.span.id',
    'langsmith.span.parent_id',
    'langsmith.span.dotted_order',
    'langsmith.span.kind',
    'langsmith.is_root',
    'langsmith.traceable',
    'langsmith.traceable_parent_otel_span_id',
    'langsmith.reference_example_id',
    'langsmith.attachments',
  ],
};
