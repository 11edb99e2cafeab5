import { queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import type { Answers } from './control-plane-answers.ts';
import { get, post, remove } from './http.ts';

/** The current session. */
export type Session = Answers['getSession'];
export type Role = Session['role'];

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
  queryFn: ({ signal }) => get<Answers['listSignInMethods']>('/v2/sign-in', { signal }),
  staleTime: Infinity,
});

export const signIn = (body: { api_key: string; tenant_id?: string }): Promise<unknown> =>
  post('/v2/sign-in', body);
/** Signs in by the token of a one-time link. */
export const signInByLink = (token: string): Promise<unknown> => post('/v2/sign-in/link', { token });
export const signOut = (): Promise<void> => remove('/v2/session');
