import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Queue, queuesQuery } from '../../api/tracing-queues.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { Count } from '../traces/numbers.tsx';
import { NewQueueButton } from './NewQueueButton.tsx';
import { fillQueue } from './queue-commands.ts';

const COLUMNS: Column<Queue>[] = [
  {
    id: 'name',
    header: 'Queue',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/review/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  { id: 'description', header: 'Description', wideOnly: true, cell: ({ description }) => description ?? '–' },
  {
    id: 'waiting',
    header: 'Pending',
    align: 'right',
    width: '90px',
    sortBy: ({ total_runs }) => total_runs,
    cell: ({ total_runs }) => <Count value={total_runs} />,
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    width: '120px',
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
  },
];

/** Annotation queues. */
export function Component() {
  const { data: queues, error, refetch } = useQuery(queuesQuery);
  return (
    <>
      <PageHeader title="Review" actions={<NewQueueButton />}>
        Runs for people to review and annotate.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load queues" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Queues"
          columns={COLUMNS}
          rows={queues}
          rowId={({ id }) => id}
          rowTo={({ id }) => `/review/${id}`}
          empty={
            <EmptyState title="No queues yet" command={fillQueue()}>
              A queue holds runs for people to review one after another. Add runs from a trace with “Add to
              queue”, or add many from code:
            </EmptyState>
          }
        />
      )}
    </>
  );
}
