/** What the console reads of tracing's records; there is more in them. */
export interface Project {
  id: string;
  name: string;
  description: string | null;
  /** Days its runs are kept; null is what its tier says, or the platform where it has none. */
  retention_days: number | null;
  trace_tier: 'shortlived' | 'longlived' | null;
  longlived_ttl_days: number | null;
  start_time: string;
}

/** Of traces: times in seconds, costs in dollars as decimal text. Null where no run says it. */
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

/** A run as tables and trees show it. */
export interface RunRow {
  id: string;
  trace_id: string;
  session_id: string;
  parent_run_id: string | null;
  /** Null while the run awaits its parent. */
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

/** A run as the table of a project shows it; of a root, tokens and cost are those of its trace. */
export interface RunSummary extends RunRow {
  error: string | null;
  inputs_preview: string | null;
  outputs_preview: string | null;
  tags: string[];
  feedback_stats: Record<string, KeyStats>;
}

type Parts<Value> = Record<string, Value> | null;
export type JsonRecord = Record<string, unknown>;

/** A run, whole. */
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

/** What an agent is asked, and what it should answer. */
export interface Example {
  id: string;
  dataset_id: string;
  inputs: JsonRecord;
  outputs: JsonRecord | null;
  metadata: JsonRecord & { dataset_split?: string[] };
  source_run_id: string | null;
  modified_at: string;
}

/** A project of the runs of one pass over a dataset. */
export interface Experiment extends Project, ProjectStats {
  /** What was said of its runs, and of itself. */
  feedback_stats: Record<string, KeyStats>;
  session_feedback_stats: Record<string, KeyStats>;
}
