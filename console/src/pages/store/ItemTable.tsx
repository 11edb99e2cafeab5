import { Anchor, Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { type ItemFilter, type ItemRecord, ITEMS_PAGE, itemsQuery } from '../../api/agent-store.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

export const itemId = ({ namespace, key }: Pick<ItemRecord, 'namespace' | 'key'>): string =>
  JSON.stringify([namespace, key]);

/** Items at or below a namespace, newest first, or by similarity for semantic searches. */
export function ItemTable({
  deploymentId,
  filter,
  toItem,
  onTurn,
  empty,
}: {
  deploymentId: string;
  filter: ItemFilter;
  toItem: (item: ItemRecord) => string;
  onTurn: (offset: number) => void;
  empty: ReactNode;
}) {
  const { data, error, refetch } = useQuery({
    ...itemsQuery(deploymentId, filter),
    placeholderData: keepPreviousData,
  });
  const hasScores = data?.some(({ score }) => typeof score === 'number');
  const columns: Column<ItemRecord>[] = [
    {
      id: 'key',
      header: 'Key',
      width: '22%',
      cell: (item) => (
        <Anchor component={Link} to={toItem(item)} style={{ overflowWrap: 'anywhere' }}>
          {item.key}
        </Anchor>
      ),
    },
    { id: 'namespace', header: 'Namespace', cell: ({ namespace }) => namespace.join('.'), wideOnly: true },
    {
      id: 'value',
      header: 'Value',
      cell: ({ value }) => <code style={{ overflowWrap: 'anywhere' }}>{brief(value)}</code>,
    },
    ...(hasScores
      ? [{ id: 'score', header: 'Score', cell: ({ score }: ItemRecord) => score?.toFixed(3) ?? '–' }]
      : []),
    {
      id: 'updated',
      header: 'Updated',
      cell: ({ updated_at }) => <TimeText at={updated_at} />,
      wideOnly: true,
    },
  ];
  const hasMore = (data?.length ?? 0) > ITEMS_PAGE;
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <DataTable
        label="Items"
        columns={columns}
        rows={data?.slice(0, ITEMS_PAGE)}
        rowId={itemId}
        rowTo={toItem}
        empty={empty}
      />
      {(filter.offset > 0 || hasMore) && (
        <Group gap="xs" mt="sm" justify="flex-end">
          <Button
            variant="default"
            disabled={filter.offset === 0}
            onClick={() => onTurn(filter.offset - ITEMS_PAGE)}
          >
            Previous
          </Button>
          <Button variant="default" disabled={!hasMore} onClick={() => onTurn(filter.offset + ITEMS_PAGE)}>
            Next
          </Button>
        </Group>
      )}
    </>
  );
}

const brief = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};
