import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { EXAMPLES_PAGE } from '../../api/tracing-datasets.ts';
import {
  sharedDatasetQuery,
  sharedExamplesQuery,
  sharedExperimentsQuery,
} from '../../api/tracing-experiments.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import { useSearch } from '../../parts/use-search.ts';
import classes from './datasets.module.css';
import { exampleColumns, exampleName } from './example-columns.tsx';
import { experimentColumns } from './experiment-columns.tsx';
import { OffsetPages } from './OffsetPages.tsx';
import { setParameter } from './set-parameter.ts';

/** A shared dataset with its examples and experiments. */
export function Component() {
  const { token } = useParams() as { token: string };
  const [search, setSearch] = useSearch();
  const offset = Number(search.get('offset') ?? 0);
  const dataset = useQuery(sharedDatasetQuery(token));
  const examples = useQuery(sharedExamplesQuery(token, offset));
  const experiments = useQuery(sharedExperimentsQuery(token));
  const opened = examples.data?.find(({ id }) => id === search.get('example'));
  const set = (name: string, value: string): void => setSearch(setParameter(name, value));
  const linkOf = (id: string): string => `?${setParameter('example', id)(new URLSearchParams(search))}`;
  if (dataset.error)
    return (
      <main className={classes.shared}>
        <PageHeader title="Shared dataset" />
        <ErrorNotice error={dataset.error} title="This link is invalid or no longer shared" />
      </main>
    );
  return (
    <main className={classes.shared}>
      <PageHeader title={dataset.data?.name ?? 'Dataset'}>
        <span>Shared dataset</span>
        {dataset.data?.description && <span>{dataset.data.description}</span>}
      </PageHeader>
      <ErrorNotice error={examples.error ?? experiments.error} title="Could not load all of it" />
      {experiments.data && experiments.data.length > 0 && (
        <Section title="Experiments">
          <DataTable
            label="Experiments"
            columns={experimentColumns(experiments.data)}
            rows={experiments.data}
            rowId={({ id }) => id}
          />
        </Section>
      )}
      <Section title="Examples">
        <DataTable
          label="Examples"
          columns={exampleColumns(linkOf)}
          rows={examples.data?.slice(0, EXAMPLES_PAGE)}
          rowId={({ id }) => id}
          rowTo={({ id }) => linkOf(id)}
          empty={<EmptyState title="This dataset has no examples" />}
        />
        <OffsetPages
          offset={offset}
          size={EXAMPLES_PAGE}
          hasMore={(examples.data?.length ?? 0) > EXAMPLES_PAGE}
          onTurn={(to) => set('offset', to ? String(to) : '')}
        />
      </Section>
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => set('example', '')}
        size="lg"
        title={`Example ${exampleName(opened?.id ?? '')}`}
      >
        {opened && (
          <>
            <h3>Inputs</h3>
            <JsonView value={opened.inputs} label="Inputs" />
            <h3>Reference outputs</h3>
            <JsonView value={opened.outputs} label="Reference outputs" />
          </>
        )}
      </Dialog>
    </main>
  );
}
