import type { JsonObject } from '../../platform/schema.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';

/** A run as it is stored, but for `patched`; bodies are places (see src/tracing/bodies). */
export interface RunRow extends Record<BodyColumn, string | null> {
  id: string;
  start_time: string;
  project_id: string;
  trace_id: string;
  parent_run_id: string | null;
  /** The parent that did not come in time: until it does, the run is a root. */
  orphan_of: string | null;
  dotted_order: string;
  name: string | null;
  run_type: string | null;
  end_time: string | null;
  first_token_time: string | null;
  error: string | null;
  status: 'pending' | 'success' | 'error';
  tags: string[] | null;
  metadata: JsonObject | null;
  thread_id: string | null;
  reference_example_id: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  prompt_cost: string | null;
  completion_cost: string | null;
  total_cost: string | null;
  usage: JsonObject | null;
  inputs_preview: string | null;
  outputs_preview: string | null;
  inserted_at: string;
  updated_at: string;
}

/** What a select of RunRow names, with `r` for the table. */
export const RUN_ROW = `r.id, r.start_time, r.project_id, r.trace_id, r.parent_run_id, r.orphan_of, r.dotted_order, r.name, r.run_type,
  r.end_time, r.first_token_time, r.error, r.status, r.tags, r.metadata, r.thread_id, r.reference_example_id,
  r.prompt_tokens, r.completion_tokens, r.total_tokens, r.prompt_cost::text, r.completion_cost::text, r.total_cost::text,
  r.usage, r.inputs_preview, r.outputs_preview, r.inputs::text, r.outputs::text, r.events::text, r.extra::text,
  r.serialized::text, r.inserted_at, r.updated_at`;
