import { Button, Group, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { datasetQuery } from '../../api/tracing-datasets.ts';
import { experimentsQuery, lowerIsBetterQuery } from '../../api/tracing-experiments.ts';
import type { Experiment } from '../../api/tracing-records.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { ComparedExamples } from './ComparedExamples.tsx';
import { comparePath } from './compare-path.ts';
import { experimentColumns, feedbackKeys } from './experiment-columns.tsx';

/** Compares experiments example by example. */
export function Component() {
  const { datasetId } = useParams() as { datasetId: string };
  const [search, setSearch] = useSearch();
  const chosen = [...new Set((search.get('selectedSessions') ?? '').split(',').filter(Boolean))];
  const sort = search.get('order') ?? '';
  const dataset = useQuery(datasetQuery(datasetId));
  const all = useQuery(experimentsQuery(datasetId));
  const { data: lowerIsBetter = [] } = useQuery(lowerIsBetterQuery);
  const shown = all.data && chosen.flatMap((id) => all.data.find((one) => one.id === id) ?? []);
  const missing = all.data ? chosen.length - shown!.length : 0;
  const set = (name: string, value: string): void =>
    setSearch((before) => {
      if (value) before.set(name, value);
      else before.delete(name);
      return before;
    });
  const name = dataset.data?.name ?? 'Dataset';
  return (
    <>
      <PageHeader
        title={shown?.length === 1 ? shown[0]!.name : 'Compare experiments'}
        parents={[
          { label: 'Datasets', to: '/datasets' },
          { label: name, to: `/datasets/${datasetId}` },
        ]}
        actions={
          shown?.length === 1 && (
            <Button component={Link} to={`/traces/${shown[0]!.id}`} variant="default">
              Traces
            </Button>
          )
        }
      />
      <ErrorNotice error={dataset.error ?? all.error} title="Could not load experiments" />
      {missing > 0 && (
        <ErrorNotice
          error={new Error(`${missing} of the selected experiments no longer exist.`)}
          title="Some experiments are missing"
        />
      )}
      {chosen.length === 0 && (
        <EmptyState
          title="No experiments selected"
          action={
            <Button component={Link} to={`/datasets/${datasetId}`} variant="default">
              Experiments of {name}
            </Button>
          }
        />
      )}
      {chosen.length > 0 && !all.error && (
        <DataTable
          label="Metrics"
          columns={experimentColumns(shown ?? [], {
            linkOf: ({ id }) => `/traces/${id}`,
            against: { first: shown?.[0], lowerIsBetter },
          })}
          rows={shown}
          rowId={({ id }) => id}
        />
      )}
      {shown && shown.length > 0 && (
        <>
          <Group gap="xs" my="sm">
            <AddExperiment
              others={all.data.filter(({ id }) => !chosen.includes(id))}
              onAdd={(id) => set('selectedSessions', [...chosen, id].join(','))}
            />
            <NativeSelect
              size="xs"
              aria-label="Sort examples"
              value={sort}
              onChange={(event) => set('order', event.currentTarget.value)}
              data={[
                { value: '', label: 'Newest examples first' },
                ...feedbackKeys(shown).flatMap((key) => [
                  { value: key, label: `${key}: lowest first` },
                  { value: `-${key}`, label: `${key}: highest first` },
                ]),
              ]}
            />
            {chosen.length > 1 && (
              <Button
                variant="subtle"
                component={Link}
                to={comparePath(datasetId, [...chosen.slice(1), chosen[0]!])}
              >
                Change baseline
              </Button>
            )}
          </Group>
          <ComparedExamples
            datasetId={datasetId}
            experiments={shown}
            sort={sort}
            lowerIsBetter={lowerIsBetter}
            onRemove={(id) => set('selectedSessions', chosen.filter((one) => one !== id).join(','))}
          />
        </>
      )}
    </>
  );
}

const AddExperiment = ({ others, onAdd }: { others: Experiment[]; onAdd: (id: string) => void }) =>
  others.length > 0 && (
    <NativeSelect
      size="xs"
      aria-label="Compare with another experiment"
      value=""
      onChange={(event) => onAdd(event.currentTarget.value)}
      data={[
        { value: '', label: 'Compare with…', disabled: true },
        ...others.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
