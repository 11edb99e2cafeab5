import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { experimentsQuery } from '../../api/tracing-experiments.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { comparePath } from './compare-path.ts';
import { evaluateDataset } from './evaluate-commands.ts';
import { experimentColumns } from './experiment-columns.tsx';
import { setParameter } from './set-parameter.ts';

/** Experiments on a dataset with statistics. Selected ones can be compared. */
export function ExperimentPanel({ datasetId, datasetName }: { datasetId: string; datasetName: string }) {
  const { data: experiments, error, refetch } = useQuery(experimentsQuery(datasetId));
  const [search, setSearch] = useSearch();
  const chosen = (search.get('chosen') ?? '').split(',').filter(Boolean);
  const choose = (ids: string[]): void =>
    setSearch(setParameter('chosen', ids.join(',')), { replace: true, preventScrollReset: true });
  const linkOf = ({ id }: { id: string }): string => comparePath(datasetId, [id]);
  if (error)
    return <ErrorNotice error={error} title="Could not load experiments" onRetry={() => void refetch()} />;
  return (
    <>
      {experiments?.length !== 0 && (
        <Group mb="sm" gap="sm">
          {chosen.length > 0 ? (
            <Button component={Link} to={comparePath(datasetId, chosen)}>
              {chosen.length === 1 ? 'Open 1 experiment' : `Compare ${chosen.length} experiments`}
            </Button>
          ) : (
            <Button disabled>Compare</Button>
          )}
          <Text size="sm" c="dimmed">
            {chosen.length > 0
              ? 'Compared with the first selected experiment.'
              : 'Select experiments to compare.'}
          </Text>
        </Group>
      )}
      <DataTable
        label="Experiments"
        columns={experimentColumns(experiments ?? [], { linkOf, choice: { chosen, onChoose: choose } })}
        rows={experiments}
        rowId={({ id }) => id}
        rowTo={linkOf}
        empty={
          <EmptyState title="No experiments yet" command={evaluateDataset(datasetName)}>
            An experiment runs your agent on every example, records traces and scores the outputs. This
            example scores an agent that always gives the same answer:
          </EmptyState>
        }
      />
    </>
  );
}
