import { Button, Skeleton, Tabs } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Run } from '../../api/tracing-records.ts';
import { runQuery } from '../../api/tracing-runs.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { AddToDataset } from './AddToDataset.tsx';
import { AddToQueue } from './AddToQueue.tsx';
import { Attachments } from './Attachments.tsx';
import { EventList } from './EventList.tsx';
import { FeedbackPanel } from './FeedbackPanel.tsx';
import { Messages } from './Messages.tsx';
import { RunFacts } from './RunFacts.tsx';
import { RunMark } from './RunMark.tsx';
import classes from './RunPanel.module.css';
import { RunMetadata } from './RunMetadata.tsx';
import { UsageTable } from './UsageTable.tsx';

const TABS: { value: string; label: string; show: (run: Run) => React.ReactNode }[] = [
  {
    value: 'messages',
    label: 'Messages',
    show: (run) => (
      <>
        <Messages run={run} />
        <Attachments urls={run.s3_urls} />
      </>
    ),
  },
  {
    value: 'io',
    label: 'Inputs and outputs',
    show: (run) => (
      <>
        <h3 className={classes.part}>Inputs</h3>
        <JsonView value={run.inputs} label="Inputs" />
        <h3 className={classes.part}>Outputs</h3>
        <JsonView value={run.outputs} label="Outputs" />
      </>
    ),
  },
  { value: 'usage', label: 'Usage', show: (run) => <UsageTable run={run} /> },
  { value: 'metadata', label: 'Metadata', show: (run) => <RunMetadata run={run} /> },
  { value: 'events', label: 'Events', show: (run) => <EventList run={run} /> },
  { value: 'feedback', label: 'Feedback', show: (run) => <FeedbackPanel runId={run.id} /> },
  { value: 'json', label: 'JSON', show: (run) => <JsonView value={run} label="The run as JSON" /> },
];

/** A complete run: inputs, outputs, usage and feedback. */
export function RunPanel({ runId }: { runId: string }) {
  const [search, setSearch] = useSearch();
  const {
    data: run,
    error,
    isPlaceholderData,
  } = useQuery({
    ...runQuery(runId),
    placeholderData: keepPreviousData,
  });
  const tab = TABS.find(({ value }) => value === search.get('tab')) ?? TABS[0]!;
  const open = (value: string | null): void =>
    setSearch(
      (before) => {
        if (value && value !== TABS[0]!.value) before.set('tab', value);
        else before.delete('tab');
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  if (error) return <ErrorNotice error={error} title="Could not load this run" />;
  if (!run) return <Skeleton height={320} />;
  return (
    <div aria-busy={isPlaceholderData} className={classes.run}>
      <div className={classes.head}>
        <RunMark type={run.run_type} status={run.status} />
        <h2 className={classes.name}>{run.name}</h2>
        <CopyButton text={run.id} label="Copy the run’s id" />
        <span className={classes.space} />
        <AddToDataset run={run} />
        <AddToQueue run={run} />
        <Button component={Link} variant="default" to={`/traces/compare?left=${run.id}`}>
          Compare
        </Button>
      </div>
      <RunFacts run={run} />
      {run.error && (
        <pre className={classes.error} tabIndex={0} aria-label="Error">
          {run.error}
        </pre>
      )}
      <Tabs value={tab.value} onChange={open} keepMounted={false}>
        <Tabs.List className={classes.tabs}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, show }) => (
          <Tabs.Panel key={value} value={value} pt="sm">
            {value === tab.value && show(run)}
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
