import type { Answers } from './control-plane-answers.ts';

export type ApiKey = Answers['listApiKeys']['resources'][number];
export type OpenSession = Answers['listSessions']['resources'][number];
export type AuditEntry = Answers['listChanges']['resources'][number];

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
