import { queryOptions } from '@tanstack/react-query';
import { readAll } from './control-plane.ts';
import type { Answers } from './control-plane-answers.ts';
import type { Page } from './control-plane-records.ts';
import { get, patch, post, remove } from './http.ts';
import type {
  ApiKey,
  AuditEntry,
  ModelPrice,
  OpenSession,
  RateLimitUse,
  Retention,
} from './workspace-records.ts';

export const AUDIT_PAGE = 50;

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: ({ signal }) => readAll<ApiKey>('/v2/api-keys', signal),
});

export const createKey = (body: {
  name: string;
  role: string;
  expires_at: string | null;
}): Promise<Answers['createApiKey']> => post('/v2/api-keys', body);
export const revokeKey = (id: string): Promise<void> => remove(`/v2/api-keys/${id}`);

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => readAll<OpenSession>('/v2/sessions', signal),
  refetchInterval: 15_000,
});

export const revokeSession = (id: string): Promise<void> => remove(`/v2/sessions/${id}`);

export interface AuditFilter {
  actor: string;
  action: string;
  target: string;
  offset: number;
}

export const auditQuery = (filter: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal }) =>
      get<Page<AuditEntry>>('/v2/audit', { query: { ...filter, limit: AUDIT_PAGE }, signal }),
    placeholderData: (before) => before,
  });

export const verifyAudit = (): Promise<Answers['verifyChanges']> => get('/v2/audit/verification');

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: ({ signal }) => get<Answers['getLimits']>('/v2/limits', { signal }),
});

export const rateLimitsQuery = queryOptions({
  queryKey: ['rate-limits'],
  queryFn: ({ signal }) => get<RateLimitUse[]>('/api/v1/platform/rate-limits', { signal }),
  refetchInterval: 10_000,
});

/** The platform's default retention (GET /platform/retention). */
export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: ({ signal }) => get<Retention>('/api/v1/platform/retention', { signal }),
});

/** Null resets to the default of the tier or platform. */
export const setRetention = (id: string, retention_days: number | null): Promise<unknown> =>
  patch(`/api/v1/sessions/${id}`, { retention_days });

export const pricesQuery = queryOptions({
  queryKey: ['model-prices'],
  queryFn: ({ signal }) => get<ModelPrice[]>('/api/v1/model-price-map', { signal }),
});

export const createPrice = (body: {
  name: string;
  match_pattern: string;
  prompt_cost: string;
  completion_cost: string;
  provider?: string;
}): Promise<ModelPrice> => post('/api/v1/model-price-map', body);
export const deletePrice = (id: string): Promise<void> => remove(`/api/v1/model-price-map/${id}`);
