import { Anchor, Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { datasetsQuery } from '../../api/tracing-datasets.ts';
import type { Dataset } from '../../api/tracing-records.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Count } from '../traces/numbers.tsx';
import { makeDataset } from './evaluate-commands.ts';
import { NewDatasetForm } from './NewDatasetForm.tsx';
import { setParameter } from './set-parameter.ts';

const TYPES = { kv: 'Key–value', llm: 'Completion', chat: 'Chat' };

const COLUMNS: Column<Dataset>[] = [
  {
    id: 'name',
    header: 'Dataset',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/datasets/${id}`} fw={550}>
        {name}
      </Anchor>
    ),
  },
  { id: 'type', header: 'Type', wideOnly: true, width: '120px', cell: ({ data_type }) => TYPES[data_type] },
  {
    id: 'examples',
    header: 'Examples',
    align: 'right',
    width: '90px',
    sortBy: ({ example_count }) => example_count,
    cell: ({ example_count }) => <Count value={example_count} />,
  },
  {
    id: 'experiments',
    header: 'Experiments',
    align: 'right',
    width: '110px',
    wideOnly: true,
    sortBy: ({ session_count }) => session_count,
    cell: ({ session_count }) => <Count value={session_count} />,
  },
  {
    id: 'last',
    header: 'Last experiment',
    align: 'right',
    width: '130px',
    wideOnly: true,
    sortBy: ({ last_session_start_time }) => last_session_start_time,
    cell: ({ last_session_start_time }) => <TimeText at={last_session_start_time} />,
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    width: '120px',
    sortBy: ({ modified_at }) => modified_at,
    cell: ({ modified_at }) => <TimeText at={modified_at} />,
  },
];

/** List of datasets. */
export function Component() {
  const [search, setSearch] = useSearch();
  const name = search.get('name') ?? '';
  const [isOpen, dialog] = useDisclosure(false);
  const { data: datasets, error, refetch } = useQuery(datasetsQuery(name));
  return (
    <>
      <PageHeader
        title="Datasets"
        actions={
          <Button leftSection={<Icon name="plus" size={14} />} onClick={dialog.open}>
            New dataset
          </Button>
        }
      >
        Test cases for agents, and the experiments run on them.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load datasets" onRetry={() => void refetch()} />
      {(name || datasets?.length !== 0) && (
        <TextInput
          size="xs"
          aria-label="Search datasets"
          placeholder="Search datasets"
          leftSection={<Icon name="search" size={13} />}
          value={name}
          onChange={(event) => setSearch(setParameter('name', event.currentTarget.value), { replace: true })}
          maw={260}
          mb="sm"
        />
      )}
      {!error && (
        <DataTable
          label="Datasets"
          columns={COLUMNS}
          rows={datasets}
          rowId={({ id }) => id}
          rowTo={({ id }) => `/datasets/${id}`}
          empty={
            name ? (
              <EmptyState title={`No datasets match “${name}”`} />
            ) : (
              <EmptyState title="No datasets yet" command={makeDataset()}>
                A dataset holds inputs for an agent and the expected outputs. Add runs from a trace with “Add
                to dataset”, or create many examples from code:
              </EmptyState>
            )
          }
        />
      )}
      <Dialog isOpen={isOpen} onClose={dialog.close} title="New dataset">
        {isOpen && <NewDatasetForm onClose={dialog.close} />}
      </Dialog>
    </>
  );
}
