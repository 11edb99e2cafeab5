import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { isLive, type RunRecord } from '../../api/agent-threads.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

/** Time from creation to end in ms; null while the run is active. */
export const durationOf = ({ status, created_at, updated_at }: RunRecord): number | null =>
  isLive(status) ? null : Math.max(0, Date.parse(updated_at) - Date.parse(created_at));

/** Runs of a thread, newest first, updated live. */
export function RunTable({
  deploymentId,
  threadId,
  runs,
}: {
  deploymentId: string;
  threadId: string;
  runs: RunRecord[] | undefined;
}) {
  const to = ({ run_id }: RunRecord): string => `/threads/${deploymentId}/${threadId}/runs/${run_id}`;
  const columns: Column<RunRecord>[] = [
    {
      id: 'run',
      header: 'Run',
      cell: (run) => (
        <Anchor component={Link} to={to(run)} className="mono">
          {run.run_id.slice(0, 8)}…{run.run_id.slice(-6)}
        </Anchor>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      sortBy: ({ status }) => status,
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: 'strategy',
      header: 'When busy',
      cell: ({ multitask_strategy }) => multitask_strategy ?? '–',
      wideOnly: true,
    },
    {
      id: 'duration',
      header: 'Duration',
      align: 'right',
      sortBy: durationOf,
      cell: (run) => <Duration ms={durationOf(run)} />,
    },
    {
      id: 'created',
      header: 'Created',
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <TimeText at={created_at} />,
      wideOnly: true,
    },
  ];
  return (
    <DataTable
      label="Runs"
      columns={columns}
      rows={runs}
      rowId={({ run_id }) => run_id}
      rowTo={to}
      empty={
        <EmptyState
          title="No runs yet"
          command={`curl -s -H "X-Api-Key: $KEY" ${location.origin}/d/${deploymentId}/threads/${threadId}/runs/wait -H 'content-type: application/json' -d '{"assistant_id":"agent","input":{}}'`}
        >
          Runs of assistants on this thread appear here.
        </EmptyState>
      }
    />
  );
}
