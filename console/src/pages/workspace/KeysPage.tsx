import { useQuery } from '@tanstack/react-query';
import { keysQuery, revokeKey } from '../../api/workspace.ts';
import type { ApiKey } from '../../api/workspace-records.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { RemoveButton } from '../../parts/RemoveButton.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { NewKeyButton } from './NewKeyButton.tsx';

const isOver = ({ expires_at }: ApiKey): boolean =>
  expires_at !== null && Date.parse(expires_at) < Date.now();

function State({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at) return <StatusBadge status="revoked" tone="idle" />;
  return isOver(apiKey) ? (
    <StatusBadge status="expired" tone="idle" />
  ) : (
    <StatusBadge status="active" tone="ok" />
  );
}

export function Component() {
  const { data, error, refetch } = useQuery(keysQuery);
  const columns: Column<ApiKey>[] = [
    { id: 'name', header: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
    { id: 'key', header: 'Key', cell: ({ hint }) => <code>slp_…{hint}</code>, wideOnly: true },
    { id: 'role', header: 'Role', sortBy: ({ role }) => role, cell: ({ role }) => role },
    { id: 'state', header: 'State', cell: (key) => <State apiKey={key} /> },
    {
      id: 'created',
      header: 'Created',
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <TimeText at={created_at} />,
      wideOnly: true,
    },
    {
      id: 'expires',
      header: 'Expires',
      sortBy: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <TimeText at={expires_at} />,
      wideOnly: true,
    },
    {
      id: 'revoke',
      header: 'Action',
      align: 'right',
      cell: (key) =>
        !key.revoked_at &&
        !isOver(key) && (
          <RemoveButton
            label="Revoke"
            of={key.name}
            question={`${key.name} stops working immediately, and sessions that use it are signed out.`}
            rows={keysQuery.queryKey}
            onRemove={() => revokeKey(key.id)}
          />
        ),
    },
  ];
  return (
    <>
      <PageHeader title="API keys" actions={<NewKeyButton />}>
        Keys are shown once, when they are created. Only their hash is stored.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load API keys" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="API keys"
          columns={columns}
          rows={data}
          rowId={({ id }) => id}
          empty={
            <EmptyState
              title="No API keys yet"
              command={`curl -s -H "X-Api-Key: $KEY" -H 'content-type: application/json' ${location.origin}/v2/api-keys -d '{"name":"ci","role":"deployer"}'`}
            >
              Create one for each program, with the lowest role that suffices.
            </EmptyState>
          }
        />
      )}
    </>
  );
}
