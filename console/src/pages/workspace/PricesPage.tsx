import { useQuery } from '@tanstack/react-query';
import { deletePrice, pricesQuery } from '../../api/workspace.ts';
import type { ModelPrice } from '../../api/workspace-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { RemoveButton } from '../../parts/RemoveButton.tsx';
import { NewPriceButton } from './NewPriceButton.tsx';

const MILLION = 1_000_000;

export function Component() {
  const { data, error, refetch } = useQuery(pricesQuery);
  const columns: Column<ModelPrice>[] = [
    { id: 'name', header: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
    {
      id: 'pattern',
      header: 'Models',
      cell: ({ match_pattern }) => <code>{match_pattern}</code>,
      wideOnly: true,
    },
    { id: 'provider', header: 'Provider', cell: ({ provider }) => provider ?? 'any', wideOnly: true },
    {
      id: 'prompt',
      header: 'Input / 1M',
      align: 'right',
      sortBy: ({ prompt_cost }) => Number(prompt_cost),
      cell: ({ prompt_cost }) => <Cost usd={Number(prompt_cost) * MILLION} />,
    },
    {
      id: 'completion',
      header: 'Output / 1M',
      align: 'right',
      sortBy: ({ completion_cost }) => Number(completion_cost),
      cell: ({ completion_cost }) => <Cost usd={Number(completion_cost) * MILLION} />,
    },
    {
      id: 'remove',
      header: 'Action',
      align: 'right',
      cell: (price) => (
        <RemoveButton
          of={price.name}
          question={`Future runs use public prices. Costs already computed with ${price.name} stay.`}
          rows={pricesQuery.queryKey}
          onRemove={() => deletePrice(price.id)}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader title="Model prices" actions={<NewPriceButton />}>
        Custom prices override public ones and apply to runs logged from then on.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load prices" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Model prices"
          columns={columns}
          rows={data}
          rowId={({ id }) => id}
          empty={
            <EmptyState
              title="No custom prices"
              command={`curl -s -H "X-Api-Key: $KEY" -H 'content-type: application/json' ${location.origin}/model-price-map -d '{"name":"our model","match_pattern":"^our-model","prompt_cost":"0.000001","completion_cost":"0.000002"}'`}
            >
              Known models use public prices. Add a price for your own model, or for the rate you actually
              pay.
            </EmptyState>
          }
        />
      )}
    </>
  );
}
