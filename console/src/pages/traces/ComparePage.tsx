import { Anchor, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Run } from '../../api/tracing-records.ts';
import { runQuery } from '../../api/tracing-runs.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { ComparedValues } from './ComparedValues.tsx';
import classes from './ComparePage.module.css';
import { OtherRun } from './OtherRun.tsx';
import { runPath } from './run-columns.tsx';
import { RunFacts } from './RunFacts.tsx';

/** Compares inputs, outputs and metadata of two runs. */
export function Component() {
  const [search, setSearch] = useSearch();
  const [leftId, rightId] = [search.get('left') ?? '', search.get('right') ?? ''];
  const left = useQuery({ ...runQuery(leftId), enabled: leftId !== '' });
  const right = useQuery({ ...runQuery(rightId), enabled: rightId !== '' });
  const showsAll = search.get('all') === '1';
  const set = (name: string, value: string): void =>
    setSearch((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      return before;
    });
  return (
    <>
      <PageHeader title="Compare runs" parents={[{ label: 'Traces', to: '/traces' }]} />
      <ErrorNotice error={left.error ?? right.error} title="Could not load a run" />
      {!leftId && (
        <EmptyState title="No run selected">Open a run of a trace and choose “Compare”.</EmptyState>
      )}
      {left.data && <OtherRun run={left.data} chosen={rightId} onChoose={(id) => set('right', id)} />}
      {left.data && right.data && (
        <>
          <div className={classes.sides}>
            <Side name="Left" run={left.data} />
            <Side name="Right" run={right.data} />
          </div>
          <Switch
            mt="md"
            label="Show unchanged values"
            checked={showsAll}
            onChange={() => set('all', showsAll ? '' : '1')}
          />
          {PARTS.map(({ title, of }) => (
            <ComparedValues
              key={title}
              title={title}
              left={of(left.data)}
              right={of(right.data)}
              showsAll={showsAll}
            />
          ))}
        </>
      )}
    </>
  );
}

const PARTS: { title: string; of: (run: Run) => unknown }[] = [
  { title: 'Inputs', of: ({ inputs }) => inputs },
  { title: 'Outputs', of: ({ outputs, error }) => (error === null ? outputs : { ...outputs, error }) },
  { title: 'Metadata', of: ({ extra, tags }) => ({ ...extra.metadata, tags }) },
];

const Side = ({ name, run }: { name: string; run: Run }) => (
  <div className={classes.side}>
    <div className={classes.sideName}>{name}</div>
    <Anchor component={Link} to={runPath(run)} fw={550}>
      {run.name}
    </Anchor>
    <RunFacts run={run} />
  </div>
);
