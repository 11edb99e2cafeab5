import { Anchor, Button, Group } from '@mantine/core';
import type { Thread } from '@langchain/langgraph-sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { graphOf, THREADS_PAGE, threadsQuery } from '../../api/agent-threads.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { DeploymentSelect } from '../../parts/DeploymentSelect.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useDeploymentChoice } from '../../parts/use-deployment-choice.ts';
import { useSearch } from '../../parts/use-search.ts';
import { filterOf, isFiltered } from './thread-filter.ts';
import { ThreadFilters } from './ThreadFilters.tsx';

const columnsOf = (deploymentId: string): Column<Thread>[] => [
  {
    id: 'thread',
    header: 'Thread',
    cell: ({ thread_id }) => (
      <Anchor component={Link} to={`/threads/${deploymentId}/${thread_id}`} className="mono">
        {thread_id.slice(0, 8)}…{thread_id.slice(-6)}
      </Anchor>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { id: 'graph', header: 'Graph', cell: (thread) => graphOf(thread) || '–' },
  { id: 'metadata', header: 'Metadata', cell: ({ metadata }) => ownMetadata(metadata), wideOnly: true },
  {
    id: 'created',
    header: 'Created',
    cell: ({ created_at }) => <TimeText at={created_at} />,
    wideOnly: true,
  },
  {
    id: 'updated',
    header: 'Updated',
    cell: ({ updated_at }) => <TimeText at={updated_at} />,
    wideOnly: true,
  },
];

export function Component() {
  const [deploymentId] = useDeploymentChoice();
  const [search, setSearch] = useSearch();
  const filter = filterOf(search);
  const { data, error, refetch } = useQuery({
    ...threadsQuery(deploymentId ?? '', filter),
    enabled: deploymentId !== undefined,
    placeholderData: keepPreviousData,
  });
  const turn = (by: number): void =>
    setSearch((before) => {
      before.set('offset', String(Math.max(0, filter.offset + by)));
      return before;
    });
  const hasMore = (data?.length ?? 0) > THREADS_PAGE;
  return (
    <>
      <PageHeader title="Threads and runs" actions={<DeploymentSelect />}>
        Conversations with assistants, with their runs and state.
      </PageHeader>
      {deploymentId && <ThreadFilters key={deploymentId} deploymentId={deploymentId} />}
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Threads"
          columns={columnsOf(deploymentId ?? '')}
          rows={data?.slice(0, THREADS_PAGE)}
          rowId={({ thread_id }) => thread_id}
          rowTo={({ thread_id }) => `/threads/${deploymentId}/${thread_id}`}
          empty={
            isFiltered(filter) || filter.offset > 0 ? (
              <EmptyState
                title="No matching threads"
                action={
                  <Button variant="default" onClick={() => setSearch({ deployment: deploymentId! })}>
                    Show all threads
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title="No threads yet"
                command={`curl -s -H "X-Api-Key: $KEY" ${location.origin}/d/${deploymentId}/threads -H 'content-type: application/json' -d '{}'`}
                action={
                  <Button component={Link} to={`/playground/${deploymentId}`}>
                    Open playground
                  </Button>
                }
              >
                Every conversation with an assistant creates one. So does this command:
              </EmptyState>
            )
          }
        />
      )}
      {(filter.offset > 0 || hasMore) && (
        <Group gap="xs" mt="sm" justify="flex-end">
          <Button variant="default" disabled={filter.offset === 0} onClick={() => turn(-THREADS_PAGE)}>
            Newer
          </Button>
          <Button variant="default" disabled={!hasMore} onClick={() => turn(THREADS_PAGE)}>
            Older
          </Button>
        </Group>
      )}
    </>
  );
}

/** Metadata without the keys that every thread has. */
function ownMetadata(metadata: Thread['metadata']): string {
  const { graph_id: _graph, assistant_id: _assistant, ...own } = (metadata ?? {}) as Record<string, unknown>;
  const text = Object.entries(own)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > 60 ? `${text.slice(0, 59)}…` : text || '–';
}
