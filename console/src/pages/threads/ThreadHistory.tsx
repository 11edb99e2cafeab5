import { Anchor } from '@mantine/core';
import type { Thread, ThreadState } from '@langchain/langgraph-sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { assistantOf, historyQuery } from '../../api/agent-threads.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

/** Checkpoints of a thread, linked to the playground. */
export function ThreadHistory({ deploymentId, thread }: { deploymentId: string; thread: Thread }) {
  const { thread_id, updated_at } = thread;
  const history = useQuery({
    ...historyQuery(deploymentId, thread_id),
    queryKey: [...historyQuery(deploymentId, thread_id).queryKey, updated_at],
    placeholderData: (before: ThreadState[] | undefined) => before,
  });
  const to = ({ checkpoint }: ThreadState): string => {
    const assistant = assistantOf(thread);
    const search = { thread: thread_id, view: 'history', checkpoint: checkpoint?.checkpoint_id ?? '' };
    return `/playground/${deploymentId}?${new URLSearchParams({ ...(assistant && { assistant }), ...search })}`;
  };
  const columns: Column<ThreadState>[] = [
    {
      id: 'step',
      header: 'Step',
      cell: (state) => (
        <Anchor component={Link} to={to(state)}>
          {String(state.metadata?.['step'] ?? '–')}
        </Anchor>
      ),
    },
    { id: 'source', header: 'Source', cell: ({ metadata }) => String(metadata?.['source'] ?? '–') },
    { id: 'next', header: 'Then', cell: ({ next }) => next.join(', ') || 'end' },
    { id: 'created', header: 'Created', cell: ({ created_at }) => <TimeText at={created_at ?? null} /> },
  ];
  return (
    <>
      <ErrorNotice error={history.error} />
      <DataTable
        label="Checkpoints"
        columns={columns}
        rows={history.data}
        rowId={({ checkpoint }) => checkpoint?.checkpoint_id ?? ''}
        rowTo={to}
        sortParameter="checkpoints"
        empty={<p>No steps yet.</p>}
      />
    </>
  );
}
