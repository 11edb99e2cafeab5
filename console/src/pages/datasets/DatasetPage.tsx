import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { datasetQuery, deleteDataset } from '../../api/tracing-datasets.ts';
import type { Dataset } from '../../api/tracing-records.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Count } from '../traces/numbers.tsx';
import { ExamplePanel } from './ExamplePanel.tsx';
import { ExperimentPanel } from './ExperimentPanel.tsx';
import { setParameter } from './set-parameter.ts';
import { ShareDataset } from './ShareDataset.tsx';

/** A dataset with its experiments and examples. */
export function Component() {
  const { datasetId } = useParams() as { datasetId: string };
  const { data: dataset, error } = useQuery(datasetQuery(datasetId));
  const parents = [{ label: 'Datasets', to: '/datasets' }];
  if (dataset) return <DatasetView dataset={dataset} parents={parents} />;
  return (
    <>
      <PageHeader title="Dataset" parents={parents} />
      <ErrorNotice error={error} title="Could not load this dataset" />
    </>
  );
}

function DatasetView({
  dataset: { id, name, description, data_type, example_count, session_count, modified_at },
  parents,
}: {
  dataset: Dataset;
  parents: { label: string; to: string }[];
}) {
  const navigate = useNavigate();
  const [search, setSearch] = useSearch();
  // Opens the examples if one is linked or there are no experiments.
  const tab =
    search.get('tab') ?? (search.has('example') || session_count === 0 ? 'examples' : 'experiments');
  return (
    <>
      <PageHeader
        title={name}
        parents={parents}
        actions={
          <>
            <ShareDataset datasetId={id} />
            <ConfirmButton
              label="Delete"
              question="This deletes the dataset with all versions of its examples. Its experiments are kept as projects."
              isDangerous
              onConfirm={async () => {
                await deleteDataset(id);
                await navigate('/datasets');
              }}
            />
          </>
        }
      >
        {description && <span>{description}</span>}
        {data_type !== 'kv' && <span>{data_type}</span>}
        <span>
          changed <TimeText at={modified_at} />
        </span>
      </PageHeader>
      <Tabs
        value={tab}
        onChange={(value) => setSearch(setParameter('tab', value ?? ''), { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          <Tabs.Tab value="experiments">
            Experiments <Count value={session_count} />
          </Tabs.Tab>
          <Tabs.Tab value="examples">
            Examples <Count value={example_count} />
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="experiments">
          <ExperimentPanel datasetId={id} datasetName={name} />
        </Tabs.Panel>
        <Tabs.Panel value="examples">
          <ExamplePanel datasetId={id} datasetName={name} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
