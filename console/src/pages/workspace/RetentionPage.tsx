import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { projectsQuery } from '../../api/tracing-projects.ts';
import type { Project } from '../../api/tracing-records.ts';
import { limitsQuery, retentionQuery, setRetention } from '../../api/workspace.ts';
import type { Retention } from '../../api/workspace-records.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

const DAYS = [7, 14, 30, 90, 180, 400];

/** What holds for a project that has not chosen. */
const unchosen = ({ trace_tier, longlived_ttl_days }: Project, told: Retention | undefined): string => {
  if (trace_tier === 'shortlived') return `${days(told?.shortlived_days)} (short tier)`;
  if (trace_tier === 'longlived') return `${days(longlived_ttl_days ?? told?.longlived_days)} (long tier)`;
  return `${days(told?.days)} (default)`;
};

/** What a project may choose, with what it has chosen. */
const choicesOf = (project: Project, told: Retention | undefined) => [
  { value: '', label: unchosen(project, told) },
  ...[...new Set([...DAYS, ...(project.retention_days === null ? [] : [project.retention_days])])]
    .toSorted((one, other) => one - other)
    .map((count) => ({ value: String(count), label: days(count) })),
];

const days = (count: number | undefined): string => (count === undefined ? '…' : `${count} days`);

export function Component() {
  const queries = useQueryClient();
  const { data: limits, error } = useQuery(limitsQuery);
  const { data: told, error: toldError } = useQuery(retentionQuery);
  const { data: projects, error: projectError } = useQuery(projectsQuery());
  const changing = useMutation({
    mutationFn: ({ id, chosen }: { id: string; chosen: string }) =>
      setRetention(id, chosen ? Number(chosen) : null),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects'] }),
  });
  const columns: Column<Project>[] = [
    { id: 'name', header: 'Project', sortBy: ({ name }) => name, cell: ({ name }) => name },
    {
      id: 'since',
      header: 'Since',
      sortBy: ({ start_time }) => start_time,
      cell: ({ start_time }) => <TimeText at={start_time} />,
      wideOnly: true,
    },
    {
      id: 'kept',
      header: 'Runs are kept for',
      width: '220px',
      cell: (project) => (
        <NativeSelect
          size="xs"
          aria-label={`How long runs of ${project.name} are kept`}
          value={project.retention_days ?? ''}
          disabled={changing.isPending}
          onChange={(event) => changing.mutate({ id: project.id, chosen: event.currentTarget.value })}
          data={choicesOf(project, told)}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader title="Retention">What is older goes by itself, every hour.</PageHeader>
      <ErrorNotice error={error ?? toldError ?? projectError} title="Not all can be shown" />
      <ErrorNotice error={changing.error} title="It stays as it was" />
      <Section title="Deployments">
        <Facts
          facts={[
            ['Logs', days(limits?.log_days)],
            ['Counted traffic', days(limits?.traffic_days)],
            ['Previews, after the last push', days(limits?.preview_days)],
            ['Artifacts to roll back to', limits?.kept_artifacts ?? '…'],
          ]}
        />
      </Section>
      <Section title="Traces">
        <Text size="sm" mb="sm">
          Each project chooses. Where one has not, its runs are kept for {days(told?.days)} (
          <code>SLIPWAY_TRACE_RETENTION_DAYS</code>). A trace of which something was said, by feedback or in
          an annotation queue, is kept for {days(told?.longlived_days)} (<code>SLIPWAY_TRACE_LONG_DAYS</code>
          ).
        </Text>
        <DataTable
          label="Projects"
          columns={columns}
          rows={projects}
          rowId={({ id }) => id}
          empty={
            <EmptyState title="No project yet">
              A project is made by the first run that is logged to it. Agents of deployments log theirs by
              themselves.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
