import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { deploymentsQuery } from '../../api/control-plane.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

const COLUMNS: Column<Deployment>[] = [
  {
    id: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/deployments/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'created',
    header: 'Created',
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <TimeText at={created_at} />,
    wideOnly: true,
  },
];

export function Component() {
  const { data, error, refetch } = useQuery(deploymentsQuery);
  return (
    <>
      <PageHeader
        title="Deployments"
        actions={
          <Button component={Link} to="/deployments/new">
            New deployment
          </Button>
        }
      />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="Deployments"
        columns={COLUMNS}
        rows={data}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/deployments/${id}`}
        empty={
          <EmptyState
            title="Deploy your first agent"
            command={`npx slipway deploy --url ${location.origin} --name my-agent`}
          >
            In the folder of a project with a graph.json. The platform builds it, starts it, and leads
            requests to it.
          </EmptyState>
        }
      />
    </>
  );
}
