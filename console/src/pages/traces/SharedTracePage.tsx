import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router';
import { sharedRunQuery, sharedTraceQuery } from '../../api/tracing-shares.ts';
import type { RunRow } from '../../api/tracing-records.ts';
import { durationText } from '../../parts/Duration.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { RunFacts } from './RunFacts.tsx';
import panel from './RunPanel.module.css';
import classes from './TracePage.module.css';
import { TraceTree } from './TraceTree.tsx';
import { readTrace } from './trace-tree.ts';
import { useSelectedRun } from './use-selected-run.ts';

/** A shared trace. */
export function Component() {
  const { token } = useParams() as { token: string };
  const { data: runs, error } = useQuery(sharedTraceQuery(token));
  return (
    <main className={classes.shared}>
      {error && (
        <>
          <PageHeader title="Shared trace" />
          <ErrorNotice error={error} title="This link is invalid or no longer shared" />
        </>
      )}
      {!runs && !error && <Skeleton height={400} />}
      {runs && <SharedTrace token={token} runs={runs} />}
    </main>
  );
}

function SharedTrace({ token, runs }: { token: string; runs: RunRow[] }) {
  const trace = useMemo(() => readTrace(runs), [runs]);
  const root = trace.roots[0]!.run;
  const [selected, select] = useSelectedRun(root.id);
  const { data: run, error, isPlaceholderData } = useQuery(sharedRunQuery(token, selected));
  return (
    <>
      <PageHeader title={root.name}>
        <span>Shared trace</span>
        <TimeText at={root.start_time} />
        <span className="numeric">{durationText(trace.duration)}</span>
      </PageHeader>
      <div className={classes.columns}>
        <TraceTree trace={trace} selected={selected} onSelect={select} />
        <section className={classes.panel} aria-label="Selected run">
          <ErrorNotice error={error} title="Could not load this run" />
          {!run && !error && <Skeleton height={320} />}
          {run && !error && (
            <div className={panel.run} aria-busy={isPlaceholderData}>
              <h2 className={panel.name}>{run.name}</h2>
              <RunFacts run={run} />
              {run.error && <pre className={panel.error}>{run.error}</pre>}
              <h3 className={panel.part}>Inputs</h3>
              <JsonView value={run.inputs} label="Inputs" />
              <h3 className={panel.part}>Outputs</h3>
              <JsonView value={run.outputs} label="Outputs" />
            </div>
          )}
        </section>
      </div>
    </>
  );
}
