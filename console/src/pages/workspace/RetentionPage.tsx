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

/** The default retention of a project. */
const defaultOf = ({ trace_tier, longlived_ttl_days }: Project, defaults: Retention | undefined): string => {
  if (trace_tier === 'shortlived') return `${days(defaults?.shortlived_days)} (short tier)`;
  if (trace_tier === 'longlived')
    return `${days(longlived_ttl_days ?? defaults?.longlived_days)} (long tier)`;
  return `${days(defaults?.days)} (default)`;
};

/** Options for a project's retention, including its current one. */
const choicesOf = (project: Project, defaults: Retention | undefined) => [
  { value: '', label: defaultOf(project, defaults) },
  ...[...new Set([...DAYS, ...(project.retention_days === null ? [] : [project.retention_days])])]
    .toSorted((one, other) => one - other)
    .map((count) => ({ value: String(count), label: days(count) })),
];

const days = (count: number | undefined): string => (count === undefined ? '…' : `${count} days`);

export function Component() {
  const queries = useQueryClient();
  const { data: limits, error } = useQuery(limitsQuery);
  const { data: defaults, error: defaultsError } = useQuery(retentionQuery);
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
      header: 'Retention',
      width: '220px',
      cell: (project) => (
        <NativeSelect
          size="xs"
          aria-label={`Retention of ${project.name}`}
          value={project.retention_days ?? ''}
          disabled={changing.isPending}
          onChange={(event) => changing.mutate({ id: project.id, chosen: event.currentTarget.value })}
          data={choicesOf(project, defaults)}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader title="Retention">Older data is deleted automatically every hour.</PageHeader>
      <ErrorNotice error={error ?? defaultsError ?? projectError} title="Could not load all data" />
      <ErrorNotice error={changing.error} title="Could not change the retention" />
      <Section title="Deployments">
        <Facts
          facts={[
            ['Logs', days(limits?.log_days)],
            ['Traffic metrics', days(limits?.traffic_days)],
            ['Previews, after the last push', days(limits?.preview_days)],
            ['Artifacts kept for rollback', limits?.kept_artifacts ?? '…'],
          ]}
        />
      </Section>
      <Section title="Traces">
        <Text size="sm" mb="sm">
          Projects without their own setting keep runs for {days(defaults?.days)} (
          <code>SLIPWAY_TRACE_RETENTION_DAYS</code>). Traces with feedback or in an annotation queue are kept
          for {days(defaults?.longlived_days)} (<code>SLIPWAY_TRACE_LONG_DAYS</code>
          ).
        </Text>
        <DataTable
          label="Projects"
          columns={columns}
          rows={projects}
          rowId={({ id }) => id}
          empty={
            <EmptyState title="No projects yet">
              The first logged run creates its project. Deployed agents log theirs automatically.
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}
