import { queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { get, post, remove } from './http.ts';

export type Role = 'tracer' | 'viewer' | 'deployer' | 'admin';

/** The current session (GET /v2/session). */
export interface Session {
  name: string;
  role: Role;
  tenant_id: string;
  grants: { tenant_id: string; role: Role }[];
  session_id: string | null;
  expires_at: string | null;
  temporal_ui: { url: string; namespace: string } | null;
}

export const sessionKey = ['session'];

/** Null if signed out. */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ signal }) =>
    get<Session>('/v2/session', { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return null;
      throw error;
    }),
  staleTime: 60_000,
});

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => get<{ methods: ('api_key' | 'oidc')[] }>('/v2/sign-in', { signal }),
  staleTime: Infinity,
});

export const signIn = (body: { api_key: string; tenant_id?: string }): Promise<unknown> =>
  post('/v2/sign-in', body);
/** Signs in by the token of a one-time link. */
export const signInByLink = (token: string): Promise<unknown> => post('/v2/sign-in/link', { token });
export const signOut = (): Promise<void> => remove('/v2/session');
