import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { projectQuery } from '../../api/tracing-projects.ts';
import { runPageQuery } from '../../api/tracing-runs.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { FilterBox, filterFault } from './FilterBox.tsx';
import { QuickFilters } from './QuickFilters.tsx';
import { RUN_COLUMNS, runPath } from './run-columns.tsx';
import { RunTotals } from './RunTotals.tsx';
import { sendTrace } from './send-trace.ts';
import { useRunFilters } from './use-run-filters.ts';

/** Runs of a project, with filters, pagination and live updates. */
export function Component() {
  const { projectId } = useParams() as { projectId: string };
  const filters = useRunFilters(projectId);
  const { key, cursor, isLive } = filters;
  const project = useQuery(projectQuery(projectId));
  const page = useQuery(runPageQuery(() => filters.toFilter(), { key, cursor, isLive }));
  const next = page.data?.cursors.next;
  const parents = [{ label: 'Traces', to: '/traces' }];
  if (project.error)
    return (
      <>
        <PageHeader title="Project" parents={parents} />
        <ErrorNotice error={project.error} title="Could not load this project" />
      </>
    );
  const name = project.data?.name ?? 'Project';
  return (
    <>
      <PageHeader
        title={name}
        parents={parents}
        actions={
          <Button component={Link} to={`/dashboards?project=${projectId}`} variant="default">
            Dashboard
          </Button>
        }
      />
      <FilterBox
        filter={filters.filter}
        error={page.error}
        onFilter={(filter) => filters.change('filter', filter)}
      />
      <QuickFilters filters={filters} />
      {filterFault(page.error) === undefined && (
        <>
          <ErrorNotice error={page.error} title="Could not load runs" onRetry={() => void page.refetch()} />
          {!page.error && (
            <>
              <RunTotals filters={filters} />
              <DataTable
                label={`Runs of ${name}`}
                columns={RUN_COLUMNS}
                rows={page.data?.runs}
                rowId={({ id }) => id}
                rowTo={runPath}
                empty={
                  filters.isNarrow ? (
                    <EmptyState
                      title="No matching runs"
                      action={
                        <Button variant="default" onClick={filters.clear}>
                          Clear all filters
                        </Button>
                      }
                    >
                      Choose a longer time range or remove a filter.
                    </EmptyState>
                  ) : (
                    <EmptyState title="No runs in this project yet" command={sendTrace(name)}>
                      Runs appear here as soon as a program logs them:
                    </EmptyState>
                  )
                }
              />
            </>
          )}
          {(cursor ?? next) && (
            <Group mt="sm" component="nav" aria-label="Pages" justify="space-between">
              <Button variant="default" disabled={!cursor} onClick={() => filters.change('cursor', '')}>
                Newest
              </Button>
              <Button
                variant="default"
                disabled={!next || page.isPlaceholderData}
                onClick={() => filters.change('cursor', next!)}
              >
                Older
              </Button>
            </Group>
          )}
        </>
      )}
    </>
  );
}
