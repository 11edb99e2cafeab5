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

const TYPES = { kv: 'Key and value', llm: 'Completion', chat: 'Chat' };

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

/** What agents are tried with: examples, in datasets. */
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
        What agents are asked and should answer, and how experiments with them went.
      </PageHeader>
      <ErrorNotice error={error} title="The datasets could not be read" onRetry={() => void refetch()} />
      {(name || datasets?.length !== 0) && (
        <TextInput
          size="xs"
          aria-label="Find a dataset"
          placeholder="Find a dataset"
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
              <EmptyState title={`No dataset is called “${name}”`} />
            ) : (
              <EmptyState title="No datasets yet" command={makeDataset()}>
                A dataset holds what an agent is asked and what it should answer. A run of a trace becomes an
                example by “Add to dataset”; a program makes many:
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
