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
  overview: DeploymentHealth | undefined;
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
    sortBy: ({ overview }) => (overview ? ORDER.indexOf(overview.health) : null),
    cell: ({ status, overview }) =>
      status.endsWith('DELETE') ? (
        <StatusBadge status={status} label="Being deleted" />
      ) : (
        <Health of={overview} />
      ),
  },
  {
    id: 'replicas',
    header: 'Replicas',
    align: 'right',
    sortBy: ({ overview }) => overview?.replicas.running ?? null,
    cell: ({ overview }) => <Replicas of={overview} />,
    wideOnly: true,
  },
  {
    id: 'traffic',
    header: 'Requests',
    align: 'right',
    sortBy: ({ overview }) => overview?.traffic?.requests ?? null,
    cell: ({ overview }) => <TrafficText of={overview} />,
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
    sortBy: ({ overview }) => overview?.latest_revision?.created_at ?? null,
    cell: ({ id, overview }) =>
      overview?.latest_revision ? (
        <Anchor
          component={Link}
          to={`/deployments/${id}/revisions/${overview.latest_revision.id}`}
          underline="never"
        >
          <StatusBadge
            status={overview.latest_revision.status}
            label={`#${overview.latest_revision.number} ${overview.latest_revision.status.toLowerCase().replaceAll('_', ' ')}`}
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
  const overview = new Map(health?.map((one) => [one.deployment_id, one]));
  const rows = data
    ?.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
    .map((deployment) => ({ ...deployment, overview: overview.get(deployment.id) }));
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
    command={`SLIPWAY_API_KEY=… npx @slipway-dev/slipway deploy --url ${location.origin} --name my-agent`}
  >
    Run this in a project folder with a graph.json. The platform builds it, starts it and routes requests to
    it. Use the button above to deploy a git repository, an image or an archive.
  </EmptyState>
);
