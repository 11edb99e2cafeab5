import type { Role } from './session.ts';

export interface ApiKey {
  id: string;
  name: string;
  role: Role;
  hint: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface OpenSession {
  id: string;
  name: string;
  role: Role;
  method: 'api_key' | 'oidc';
  user_agent: string | null;
  created_at: string;
  used_at: string;
  expires_at: string;
}

export interface AuditEntry {
  number: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  detail: Record<string, unknown>;
}

export interface Verification {
  valid: boolean;
  entries: number;
  head: string;
  broken_at: number | null;
}

export interface Limits {
  deployments: { used: number; limit: number };
  replicas: number;
  previews: number;
  kept_artifacts: number;
  log_days: number;
  traffic_days: number;
  preview_days: number;
  upload_bytes: number;
  registry_bytes: number;
  build_seconds: number;
  session_seconds: number;
}

export interface RateLimitUse {
  id: string;
  category: string;
  identity: 'key' | 'user' | 'ip';
  count: number;
  interval: number;
  remaining: number;
  reset: number | null;
}

export interface Retention {
  days: number;
  shortlived_days: number;
  longlived_days: number;
}

export interface ModelPrice {
  id: string;
  name: string;
  match_pattern: string;
  provider: string | null;
  /** Dollars per token. */
  prompt_cost: string;
  completion_cost: string;
  start_time: string | null;
}
