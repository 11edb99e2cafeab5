/** What the console reads of the control plane's records (docs/control-plane-api.md); there is more in them. */
export interface Page<Record> {
  resources: Record[];
  offset: number;
}

export type Source = 'git_host' | 'external_container' | 'internal_container' | 'internal_source';

export interface SourceConfig {
  repo_url?: string | null;
  build_on_push?: boolean | null;
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
