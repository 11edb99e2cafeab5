import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { projectQuery } from '../../api/tracing-projects.ts';
import type { RunRow } from '../../api/tracing-records.ts';
import { traceQuery } from '../../api/tracing-runs.ts';
import { Cost } from '../../parts/Cost.tsx';
import { durationText } from '../../parts/Duration.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { Count } from './numbers.tsx';
import { RunPanel } from './RunPanel.tsx';
import { ShareTrace } from './ShareTrace.tsx';
import classes from './TracePage.module.css';
import { TraceTree } from './TraceTree.tsx';
import { readTrace } from './trace-tree.ts';
import { useSelectedRun } from './use-selected-run.ts';

/** A trace as a tree and timeline, with one run in full. */
export function Component() {
  const { projectId, traceId } = useParams() as { projectId: string; traceId: string };
  const project = useQuery(projectQuery(projectId));
  const { data: runs, error, refetch } = useQuery(traceQuery(traceId));
  const parents = [
    { label: 'Traces', to: '/traces' },
    { label: project.data?.name ?? 'Project', to: `/traces/${projectId}` },
  ];
  if (runs && runs.length > 0) return <TraceOf runs={runs} parents={parents} />;
  return (
    <>
      <PageHeader title="Trace" parents={parents} />
      <ErrorNotice error={error} title="Could not load this trace" onRetry={() => void refetch()} />
      {runs && (
        <EmptyState title="Trace not found">
          It may have been deleted, have expired, or belong to another workspace.
        </EmptyState>
      )}
      {!runs && !error && (
        <div className={classes.columns}>
          <Skeleton />
          <Skeleton />
        </div>
      )}
    </>
  );
}

function TraceOf({ runs, parents }: { runs: RunRow[]; parents: { label: string; to: string }[] }) {
  const trace = useMemo(() => readTrace(runs), [runs]);
  const root = trace.roots[0]!.run;
  const [selected, select] = useSelectedRun(root.id);
  return (
    <>
      <PageHeader title={root.name} parents={parents} actions={<ShareTrace runId={root.id} />}>
        <StatusBadge status={root.status} tone={TONES[root.status]} />
        <TimeText at={root.start_time} />
        <span className="numeric">{durationText(trace.duration)}</span>
        {root.total_tokens !== null && (
          <span>
            <Count value={root.total_tokens} /> tokens
          </span>
        )}
        {root.total_cost !== null && <Cost usd={root.total_cost} />}
      </PageHeader>
      <div className={classes.columns}>
        <TraceTree trace={trace} selected={selected} onSelect={select} />
        <section className={classes.panel} aria-label="Selected run">
          <RunPanel runId={selected} />
        </section>
      </div>
    </>
  );
}

const TONES = { success: 'ok', error: 'bad', pending: 'busy' } as const;
