/** The fields of the platform's records that the client reads. */
export interface Deployment {
  id: string;
  name: string;
  source: string;
  status: string;
  created_at: string;
  latest_revision_id: string | null;
  active_revision_id: string | null;
  source_config: { custom_url: string | null };
}

export interface Revision {
  id: string;
  deployment_id: string;
  status: string;
  status_message: string | null;
  created_at: string;
  created_by: string | null;
  reason: string;
  source_revision_config: { repo_ref: string | null; repo_commit_sha: string | null };
}

export interface Timeline {
  created_by: string | null;
  reason: string;
  steps: { status: string; message: string | null; at: string; duration_ms: number | null }[];
}

export interface LogLine {
  id: string;
  /** ms since 1970. */
  timestamp: number;
  level: string;
  message: string;
}

export const deploymentPath = (id: string): string => `/v2/deployments/${id}`;
export const revisionPath = (deploymentId: string, id: string): string =>
  `/v2/deployments/${deploymentId}/revisions/${id}`;
