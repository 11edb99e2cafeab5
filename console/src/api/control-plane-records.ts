/** The parts of the control plane's records that the console uses (docs/control-plane-api.md). */
export interface Page<Record> {
  resources: Record[];
  offset: number;
}

export type Source = 'git_host' | 'external_container' | 'internal_container' | 'internal_source';

export interface SourceConfig {
  repo_url?: string | null;
  build_on_push?: boolean | null;
  watch_paths?: string[] | null;
  preview_pull_requests?: boolean | null;
  preview_forks?: boolean | null;
  custom_url?: string | null;
  integration_id?: string | null;
  requires_approval?: boolean | null;
  install_command?: string | null;
  build_command?: string | null;
  resource_spec?: ResourceSpec | null;
}

export interface ResourceSpec {
  min_scale?: number | null;
  max_scale?: number | null;
  cpu?: number | null;
  memory_limit_mb?: number | null;
}

export interface SourceRevisionConfig {
  repo_ref: string | null;
  repo_commit_sha: string | null;
  graph_config_path: string | null;
  image_uri: string | null;
  source_tarball_path: string | null;
}

export interface Deployment {
  id: string;
  tenant_id: string;
  name: string;
  display_name: string | null;
  source: Source;
  source_config: SourceConfig;
  source_revision_config: SourceRevisionConfig;
  secrets: { name: string; value: string | null }[];
  created_at: string;
  updated_at: string;
  status: string;
  latest_revision_id: string | null;
  active_revision_id: string | null;
  is_preview: boolean;
  preview_of: string | null;
  preview_number: number | null;
}

export interface Revision {
  id: string;
  deployment_id: string;
  number: number;
  status: string;
  status_message: string | null;
  source: Source;
  source_revision_config: SourceRevisionConfig;
  created_at: string;
  updated_at: string;
  created_by: string | null;
  reason: string;
}

export interface Timeline {
  created_by: string | null;
  reason: string;
  steps: { status: string; message: string | null; at: string; duration_ms: number | null }[];
}

export interface Figures {
  revision_id: string;
  requests: number;
  failed: number;
  runs: number;
  failed_runs: number;
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface DeploymentHealth {
  deployment_id: string;
  health: 'serving' | 'degraded' | 'down' | 'asleep' | 'unknown' | 'none';
  replicas: { wanted: number; running: number; starting: number; failing: number };
  window_seconds: number;
  traffic: Figures | null;
  latest_revision: Pick<
    Revision,
    'id' | 'number' | 'status' | 'status_message' | 'created_at' | 'created_by' | 'reason'
  > | null;
}

export interface Traffic {
  canaries: { revision_id: string; percent: number }[];
  /** Canary revisions, including those without traffic. */
  watched: string[];
  window_seconds: number;
  figures: Figures[];
}

/** Credentials for pushing the image of a deployment. */
export interface PushToken {
  token: string;
  registry_url: string;
  username: string;
  repository_url: string;
}

/** Body of create and patch requests. */
export interface DeploymentBody {
  name?: string;
  source?: Source;
  source_config: SourceConfig;
  source_revision_config: Partial<SourceRevisionConfig>;
  secrets: { name: string; value: string }[];
  secrets_mode?: 'merge';
  removed_secrets?: string[];
  reason?: string;
}
