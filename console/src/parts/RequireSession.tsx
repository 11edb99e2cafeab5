import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation } from 'react-router';
import { sessionQuery } from '../api/session.ts';
import classes from './AppShell.module.css';
import { ErrorNotice } from './ErrorNotice.tsx';

/** Redirects to the sign-in page and back if there is no session. */
export function RequireSession() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const { pathname, search } = useLocation();
  if (error)
    return (
      <main className={classes.main}>
        <ErrorNotice error={error} title="The platform does not respond" onRetry={() => void refetch()} />
      </main>
    );
  if (session === undefined)
    return (
      <div className={classes.shell} aria-busy="true">
        <div className={classes.side} />
        <main className={classes.main} aria-label="Loading">
          <Skeleton height={26} width={220} />
        </main>
      </div>
    );
  if (!session)
    return <Navigate to={`/sign-in?${new URLSearchParams({ return_to: pathname + search })}`} replace />;
  return <Outlet />;
}
