import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isNotRunning, isSignedOut } from './api/api-error.ts';
import { sessionKey } from './api/session.ts';

const RETRIES = 2;

/** Redirects to the sign-in page when any query finds the session expired. */
const onError = (error: Error): void => {
  if (isSignedOut(error)) queryClient.setQueryData(sessionKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Retries only failures that may be transient.
      retry: (failed, error) =>
        failed < RETRIES && (!(error instanceof ApiError) || (error.status >= 500 && !isNotRunning(error))),
    },
  },
});
