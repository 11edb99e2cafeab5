import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { runQuery } from '../../api/tracing-runs.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { runPath } from './run-columns.tsx';

/** Redirects from a run id to the run in its trace. */
export function Component() {
  const { runId } = useParams() as { runId: string };
  const { data: run, error } = useQuery(runQuery(runId));
  if (run) return <Navigate to={runPath(run)} replace />;
  return (
    <>
      <PageHeader title="Run" parents={[{ label: 'Traces', to: '/traces' }]} />
      <ErrorNotice error={error} title="Could not load this run" />
      {!error && <Skeleton height={300} />}
    </>
  );
}
