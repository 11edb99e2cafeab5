import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Deployment, DeploymentHealth } from '../../api/control-plane-records.ts';
import { deploymentsQuery, healthQuery } from '../../api/control-plane.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { Health } from '../deployments/Health.tsx';

const columns = (health: DeploymentHealth[] | undefined): Column<Deployment>[] => [
  {
    id: 'name',
    header: 'Deployment',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/playground/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  {
    id: 'health',
    header: 'Health',
    cell: ({ id }) => <Health of={health?.find(({ deployment_id }) => deployment_id === id)} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
    wideOnly: true,
  },
];

export function Component() {
  const { data, error, refetch } = useQuery(deploymentsQuery);
  const { data: health } = useQuery(healthQuery);
  // Running deployments first.
  const rows = data?.toSorted(
    (one, other) => Number(!one.active_revision_id) - Number(!other.active_revision_id),
  );
  return (
    <>
      <PageHeader title="Playground">
        Chat with assistants, answer interrupts and inspect the state at every step.
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="Deployments to chat with"
        columns={columns(health)}
        rows={rows}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/playground/${id}`}
        empty={
          <EmptyState
            title="No deployments yet"
            command={`npx @slipway-dev/slipway deploy --url ${location.origin} --name my-agent`}
          >
            Run this in a project folder with a graph.json. Its assistants appear here once deployed.
          </EmptyState>
        }
      />
    </>
  );
}
