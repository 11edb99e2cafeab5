/** The parts of tracing's records that the console uses. */
export interface Project {
  id: string;
  name: string;
  description: string | null;
  /** Retention in days; null means the default of the tier or platform. */
  retention_days: number | null;
  trace_tier: 'shortlived' | 'longlived' | null;
  longlived_ttl_days: number | null;
  start_time: string;
}

/** Statistics of traces: times in seconds, costs in dollars as decimal text. Null without data. */
export interface ProjectStats {
  run_count: number;
  error_rate: number | null;
  latency_p50: number | null;
  latency_p95: number | null;
  latency_p99: number | null;
  first_token_p50: number | null;
  total_tokens: number | null;
  total_cost: string | null;
  last_run_start_time: string | null;
}

export type RunStatus = 'pending' | 'success' | 'error';

export interface KeyStats {
  n: number;
  avg: number | null;
  values: Record<string, number>;
  comments: string[];
}

/** A run in tables and trees. */
export interface RunRow {
  id: string;
  trace_id: string;
  session_id: string;
  parent_run_id: string | null;
  /** Null while the run's parent is missing. */
  dotted_order: string | null;
  name: string;
  run_type: string;
  status: RunStatus;
  start_time: string;
  end_time: string | null;
  first_token_time: string | null;
  total_tokens: number | null;
  total_cost: string | null;
}

/** A run in a project's table. Roots include tokens and cost of their traces. */
export interface RunSummary extends RunRow {
  error: string | null;
  inputs_preview: string | null;
  outputs_preview: string | null;
  tags: string[];
  feedback_stats: Record<string, KeyStats>;
}

type Parts<Value> = Record<string, Value> | null;
export type JsonRecord = Record<string, unknown>;

/** A complete run. */
export interface Run extends RunSummary {
  inputs: JsonRecord | null;
  outputs: JsonRecord | null;
  events: JsonRecord[];
  extra: JsonRecord & { metadata?: JsonRecord };
  thread_id: string | null;
  reference_example_id: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  prompt_cost: string | null;
  completion_cost: string | null;
  prompt_token_details: Parts<number>;
  completion_token_details: Parts<number>;
  prompt_cost_details: Parts<string | number>;
  completion_cost_details: Parts<string | number>;
  usage_estimated: boolean;
  s3_urls: Record<string, { presigned_url: string; mime_type: string }>;
  share_token: string | null;
}

export interface RunPage {
  runs: RunSummary[];
  cursors: { next: string | null };
}

export interface Feedback {
  id: string;
  run_id: string | null;
  key: string;
  score: number | null;
  value: unknown;
  comment: string | null;
  correction: unknown;
  feedback_source: { type?: string } | null;
  created_at: string;
}

export interface Dataset {
  id: string;
  name: string;
  description: string | null;
  data_type: 'kv' | 'llm' | 'chat';
  example_count: number;
  session_count: number;
  last_session_start_time: string | null;
  modified_at: string;
}

/** Inputs for an agent and reference outputs. */
export interface Example {
  id: string;
  dataset_id: string;
  inputs: JsonRecord;
  outputs: JsonRecord | null;
  metadata: JsonRecord & { dataset_split?: string[] };
  source_run_id: string | null;
  modified_at: string;
}

/** The project with the runs of one evaluation of a dataset. */
export interface Experiment extends Project, ProjectStats {
  /** Feedback on its runs, and on the experiment itself. */
  feedback_stats: Record<string, KeyStats>;
  session_feedback_stats: Record<string, KeyStats>;
}
