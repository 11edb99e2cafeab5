import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { topTagsQuery } from '../../api/tracing-charts.ts';
import { projectsQuery } from '../../api/tracing-projects.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { sendTrace } from '../traces/send-trace.ts';
import { ChartCard } from './ChartCard.tsx';
import classes from './ChartCard.module.css';
import { bucketsOf, DEFAULT_RANGE, RANGES } from './chart-ranges.ts';
import { GROUPS, MAX_TAGS, TRACE_CHARTS, usageCharts } from './charts.ts';

/** Charts of runs, errors, latency, tokens and cost for one project or all. */
export function Component() {
  const [search, setSearch] = useSearch();
  const { data: projects, error, refetch } = useQuery(projectsQuery());
  const project = search.get('project') ?? '';
  const range = search.get('range') ?? DEFAULT_RANGE;
  const requested = search.get('by') ?? '';
  const by = requested in GROUPS ? requested : 'model';
  const chosen = project ? [project] : [];
  const { data: tags } = useQuery(
    topTagsQuery(range, {
      projects: chosen,
      from: () => bucketsOf(range).from,
      most: MAX_TAGS,
      enabled: by === 'tag',
    }),
  );
  const set = (name: string, value: string, usual: string): void =>
    setSearch(
      (before) => {
        if (value === usual) before.delete(name);
        else before.set(name, value);
        return before;
      },
      { preventScrollReset: true },
    );
  if (error)
    return (
      <>
        <PageHeader title="Dashboards" />
        <ErrorNotice error={error} title="Could not load projects" onRetry={() => void refetch()} />
      </>
    );
  if (projects?.length === 0)
    return (
      <>
        <PageHeader title="Dashboards" />
        <EmptyState title="No traces yet" command={sendTrace()}>
          Charts appear here once agents log runs. To log one:
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHeader
        title="Dashboards"
        actions={
          <div className={classes.bar}>
            <NativeSelect
              size="xs"
              aria-label="Project"
              value={project}
              data={[
                { value: '', label: 'All projects' },
                ...(projects ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(event) => set('project', event.currentTarget.value, '')}
            />
            <NativeSelect
              size="xs"
              aria-label="Time range"
              value={range in RANGES ? range : DEFAULT_RANGE}
              data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
              onChange={(event) => set('range', event.currentTarget.value, DEFAULT_RANGE)}
            />
            {project && (
              <Button component={Link} variant="default" to={`/traces/${project}`}>
                Traces
              </Button>
            )}
          </div>
        }
      />
      <div className={classes.grid}>
        {TRACE_CHARTS.map((spec) => (
          <ChartCard key={spec.id} spec={spec} projects={chosen} range={range} />
        ))}
      </div>
      <div className={classes.part}>
        <h2 className={classes.partTitle}>Breakdown</h2>
        <SegmentedControl
          size="xs"
          aria-label="Group by"
          value={by}
          data={Object.entries(GROUPS).map(([value, { label }]) => ({ value, label }))}
          onChange={(value) => set('by', value, 'model')}
        />
      </div>
      <div className={classes.grid}>
        {usageCharts(by, tags ?? []).map((spec) => (
          <ChartCard key={`${spec.id} ${by}`} spec={spec} projects={chosen} range={range} />
        ))}
      </div>
    </>
  );
}
