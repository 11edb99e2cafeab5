import { Anchor, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { projectsQuery, projectStatsQuery } from '../../api/tracing-projects.ts';
import type { Project, ProjectStats } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Count, milliseconds, Share } from './numbers.tsx';
import { sendTrace } from './send-trace.ts';

type Row = Project & Partial<ProjectStats>;

const COLUMNS: Column<Row>[] = [
  {
    id: 'name',
    header: 'Project',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/traces/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  {
    id: 'traces',
    header: 'Traces',
    align: 'right',
    width: '90px',
    sortBy: ({ run_count }) => run_count ?? null,
    cell: ({ run_count }) => <Count value={run_count} />,
  },
  {
    id: 'errors',
    header: 'Errors',
    align: 'right',
    width: '80px',
    sortBy: ({ error_rate }) => error_rate ?? null,
    cell: ({ error_rate }) => <Share value={error_rate} isBad />,
  },
  {
    id: 'p50',
    header: 'p50',
    align: 'right',
    width: '90px',
    wideOnly: true,
    sortBy: ({ latency_p50 }) => latency_p50 ?? null,
    cell: ({ latency_p50 }) => <Duration ms={milliseconds(latency_p50)} />,
  },
  {
    id: 'p95',
    header: 'p95',
    align: 'right',
    width: '90px',
    wideOnly: true,
    sortBy: ({ latency_p95 }) => latency_p95 ?? null,
    cell: ({ latency_p95 }) => <Duration ms={milliseconds(latency_p95)} />,
  },
  {
    id: 'p99',
    header: 'p99',
    align: 'right',
    width: '90px',
    wideOnly: true,
    sortBy: ({ latency_p99 }) => latency_p99 ?? null,
    cell: ({ latency_p99 }) => <Duration ms={milliseconds(latency_p99)} />,
  },
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '90px',
    wideOnly: true,
    sortBy: ({ total_tokens }) => total_tokens ?? null,
    cell: ({ total_tokens }) => <Count value={total_tokens} />,
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '90px',
    wideOnly: true,
    sortBy: ({ total_cost }) => (total_cost ? Number(total_cost) : null),
    cell: ({ total_cost }) => <Cost usd={total_cost} />,
  },
  {
    id: 'last',
    header: 'Last run',
    align: 'right',
    width: '120px',
    sortBy: ({ last_run_start_time }) => last_run_start_time ?? null,
    cell: ({ last_run_start_time }) => <TimeText at={last_run_start_time ?? null} />,
  },
];

/** Projects with traces. */
export function Component() {
  const [search, setSearch] = useSearch();
  const name = search.get('name') ?? '';
  // Shows names first and adds the slower statistics when they arrive.
  const names = useQuery(projectsQuery(name));
  const counted = useQuery(projectStatsQuery(name));
  const rows: Row[] | undefined = counted.data ?? names.data;
  const isEmpty = rows?.length === 0;
  const find = (wanted: string): void =>
    setSearch(
      (before) => {
        if (wanted) before.set('name', wanted);
        else before.delete('name');
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <PageHeader title="Traces">Every run of your agents, grouped by project.</PageHeader>
      <ErrorNotice
        error={names.error ?? counted.error}
        title="Could not load projects"
        onRetry={() => void names.refetch()}
      />
      {(name || !isEmpty) && (
        <TextInput
          size="xs"
          aria-label="Search projects"
          placeholder="Search projects"
          leftSection={<Icon name="search" size={13} />}
          value={name}
          onChange={(event) => find(event.currentTarget.value)}
          maw={260}
          mb="sm"
        />
      )}
      {!names.error && (
        <DataTable
          label="Projects"
          columns={COLUMNS}
          rows={rows}
          rowId={({ id }) => id}
          rowTo={({ id }) => `/traces/${id}`}
          empty={
            name ? (
              <EmptyState title={`No projects match “${name}”`} />
            ) : (
              <EmptyState title="No traces yet" command={sendTrace()}>
                A trace shows every step of a run with its inputs, outputs, duration and cost. Agents deployed
                here are traced automatically; trace anything else with the LangSmith SDK or OpenTelemetry:
              </EmptyState>
            )
          }
        />
      )}
    </>
  );
}
