import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EXAMPLES_PAGE, examplesQuery, splitsQuery, versionsQuery } from '../../api/tracing-datasets.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { absoluteTime } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { addExamples } from './evaluate-commands.ts';
import { exampleColumns, exampleName } from './example-columns.tsx';
import { ExampleEditor } from './ExampleEditor.tsx';
import { OffsetPages } from './OffsetPages.tsx';
import { setParameter } from './set-parameter.ts';

const NEW = 'new';

/** Examples of a dataset, now or at a version, with an editor for one of them. */
export function ExamplePanel({ datasetId, datasetName }: { datasetId: string; datasetName: string }) {
  const [search, setSearch] = useSearch();
  const [version, split, text] = ['version', 'split', 'text'].map((name) => search.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const offset = Number(search.get('offset') ?? 0);
  const opened = search.get('example');
  const { data, error, refetch } = useQuery(examplesQuery(datasetId, { version, split, text, offset }));
  const { data: splits = [] } = useQuery(splitsQuery(datasetId));
  const { data: versions = [] } = useQuery(versionsQuery(datasetId));
  const set = (name: string, value: string): void =>
    setSearch(setParameter(name, value), { replace: name !== 'example', preventScrollReset: true });
  const close = (): void => setSearch(setParameter('example', ''), { preventScrollReset: true });
  const linkOf = (id: string): string => `?${setParameter('example', id)(new URLSearchParams(search))}`;
  const isNarrow = Boolean(version || split || text || offset);
  return (
    <>
      <Group gap="xs" mb="sm">
        <TextInput
          size="xs"
          aria-label="Search examples"
          placeholder="Search examples"
          leftSection={<Icon name="search" size={13} />}
          value={text}
          onChange={(event) => set('text', event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          aria-label="Split"
          value={split}
          data={[{ value: '', label: 'All splits' }, ...splits]}
          onChange={(event) => set('split', event.currentTarget.value)}
        />
        <NativeSelect
          size="xs"
          aria-label="Version"
          value={version}
          data={[
            { value: '', label: 'Newest version' },
            ...versions
              .filter(({ tags }) => !tags.includes('latest') || tags.length > 1)
              .map(({ as_of, tags }) => ({
                value: as_of,
                label: [...tags.filter((tag) => tag !== 'latest'), absoluteTime(as_of)].join(' · '),
              })),
          ]}
          onChange={(event) => set('version', event.currentTarget.value)}
        />
        <Button
          variant="default"
          ml="auto"
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => setSearch(setParameter('example', NEW))}
        >
          New example
        </Button>
      </Group>
      <ErrorNotice error={error} title="Could not load examples" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Examples"
          columns={exampleColumns(linkOf)}
          rows={data?.slice(0, EXAMPLES_PAGE)}
          rowId={({ id }) => id}
          rowTo={({ id }) => linkOf(id)}
          empty={
            isNarrow ? (
              <EmptyState title="No matching examples">Choose another version or split.</EmptyState>
            ) : (
              <EmptyState title="No examples yet" command={addExamples(datasetName)}>
                An example has inputs and expected outputs. Create one with “New example”, or upload many:
              </EmptyState>
            )
          }
        />
      )}
      <OffsetPages
        offset={offset}
        size={EXAMPLES_PAGE}
        hasMore={(data?.length ?? 0) > EXAMPLES_PAGE}
        onTurn={(to) => set('offset', to ? String(to) : '')}
      />
      <Dialog
        isOpen={opened !== null}
        onClose={close}
        size="lg"
        title={opened === NEW ? 'New example' : `Example ${exampleName(opened ?? '')}`}
      >
        {opened !== null && (
          <ExampleEditor
            key={opened}
            datasetId={datasetId}
            exampleId={opened === NEW ? undefined : opened}
            version={version}
            onDone={close}
          />
        )}
      </Dialog>
    </>
  );
}
