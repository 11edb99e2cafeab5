import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isNothingServing, isSignedOut } from './api/api-error.ts';
import { sessionKey } from './api/session.ts';

const RETRIES = 2;

/** Whoever is signed out meanwhile is asked to sign in again, wherever that shows first. */
const onError = (error: Error): void => {
  if (isSignedOut(error)) queryClient.setQueryData(sessionKey, null);
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What was refused is refused again; a server that is away may be back.
      retry: (failed, error) =>
        failed < RETRIES &&
        (!(error instanceof ApiError) || (error.status >= 500 && !isNothingServing(error))),
    },
  },
});
