import { Anchor, Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Deployment, DeploymentHealth } from '../../api/control-plane-records.ts';
import { deploymentsQuery, healthQuery } from '../../api/control-plane.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Health, Replicas, TrafficText } from './Health.tsx';
import { SOURCE_NAMES } from './source-names.ts';

interface Row extends Deployment {
  told: DeploymentHealth | undefined;
}

const ORDER: DeploymentHealth['health'][] = ['down', 'degraded', 'unknown', 'none', 'asleep', 'serving'];

const COLUMNS: Column<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ id, name, is_preview }) => (
      <>
        <Anchor component={Link} to={`/deployments/${id}`} fw={550}>
          {name}
        </Anchor>
        {is_preview && <span style={{ color: 'var(--mantine-color-dimmed)' }}> · preview</span>}
      </>
    ),
  },
  {
    id: 'health',
    header: 'Health',
    sortBy: ({ told }) => (told ? ORDER.indexOf(told.health) : null),
    cell: ({ status, told }) =>
      status.endsWith('DELETE') ? (
        <StatusBadge status={status} label="Being deleted" />
      ) : (
        <Health of={told} />
      ),
  },
  {
    id: 'replicas',
    header: 'Replicas',
    align: 'right',
    sortBy: ({ told }) => told?.replicas.running ?? null,
    cell: ({ told }) => <Replicas of={told} />,
    wideOnly: true,
  },
  {
    id: 'traffic',
    header: 'Requests',
    align: 'right',
    sortBy: ({ told }) => told?.traffic?.requests ?? null,
    cell: ({ told }) => <TrafficText of={told} />,
    wideOnly: true,
  },
  {
    id: 'source',
    header: 'Source',
    sortBy: ({ source }) => source,
    cell: ({ source }) => <span style={{ whiteSpace: 'nowrap' }}>{SOURCE_NAMES[source]}</span>,
    wideOnly: true,
  },
  {
    id: 'revision',
    header: 'Last revision',
    sortBy: ({ told }) => told?.latest_revision?.created_at ?? null,
    cell: ({ id, told }) =>
      told?.latest_revision ? (
        <Anchor
          component={Link}
          to={`/deployments/${id}/revisions/${told.latest_revision.id}`}
          underline="never"
        >
          <StatusBadge
            status={told.latest_revision.status}
            label={`#${told.latest_revision.number} ${told.latest_revision.status.toLowerCase().replaceAll('_', ' ')}`}
          />
        </Anchor>
      ) : (
        '–'
      ),
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
    wideOnly: true,
  },
];

export function Component() {
  const { data, error, refetch } = useQuery(deploymentsQuery);
  const { data: health } = useQuery(healthQuery);
  const [search, setSearch] = useSearch();
  const wanted = search.get('name') ?? '';
  const told = new Map(health?.map((one) => [one.deployment_id, one]));
  const rows = data
    ?.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .map((deployment) => ({ ...deployment, told: told.get(deployment.id) }));
  const filter = (name: string): void =>
    setSearch(
      (before) => {
        if (name) before.set('name', name);
        else before.delete('name');
        return before;
      },
      { replace: true },
    );
  return (
    <>
      <PageHeader
        title="Deployments"
        actions={
          <Button component={Link} to="/deployments/new" leftSection={<Icon name="plus" size={14} />}>
            New deployment
          </Button>
        }
      />
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.length !== 0 && (
        <TextInput
          size="xs"
          mb="sm"
          maw={260}
          aria-label="Search deployments by name"
          placeholder="Search by name"
          leftSection={<Icon name="search" size={13} />}
          value={wanted}
          onChange={(event) => filter(event.currentTarget.value)}
        />
      )}
      {!error && (
        <DataTable
          label="Deployments"
          columns={COLUMNS}
          rows={rows}
          rowId={({ id }) => id}
          rowTo={({ id }) => `/deployments/${id}`}
          empty={data?.length ? <EmptyState title="No deployments match" /> : <FirstDeployment />}
        />
      )}
    </>
  );
}

const FirstDeployment = () => (
  <EmptyState
    title="Deploy your first agent"
    command={`SLIPWAY_API_KEY=… npx slipway deploy --url ${location.origin} --name my-agent`}
  >
    Run this in a project folder with a graph.json. The platform builds it, starts it and routes requests to
    it. Use the button above to deploy a git repository, an image or an archive.
  </EmptyState>
);
