import { Anchor } from '@mantine/core';
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
    header: 'Deployment',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/playground/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'updated',
    header: 'Updated',
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
    wideOnly: true,
  },
];

export function Component() {
  const { data, error, refetch } = useQuery(deploymentsQuery);
  return (
    <>
      <PageHeader title="Playground">
        Talk to an assistant, answer its interrupts, and look at its state at every step.
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="Deployments to talk to"
        columns={COLUMNS}
        rows={data}
        rowId={({ id }) => id}
        rowTo={({ id }) => `/playground/${id}`}
        empty={
          <EmptyState
            title="Nobody to talk to yet"
            command={`npx slipway deploy --url ${location.origin} --name my-agent`}
          >
            In the folder of a project with a graph.json. When it is deployed, its assistants are here.
          </EmptyState>
        }
      />
    </>
  );
}
