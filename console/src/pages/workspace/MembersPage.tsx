import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.ts';
import { revokeSession, sessionsQuery } from '../../api/workspace.ts';
import type { OpenSession } from '../../api/workspace-records.ts';
import { Command } from '../../parts/Command.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { RemoveButton } from '../../parts/RemoveButton.tsx';
import { Section } from '../../parts/Section.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { browserName } from './browser-name.ts';
import { ROLES } from './roles.ts';

const ROLE_COLUMNS: Column<(typeof ROLES)[number]>[] = [
  { id: 'role', header: 'Role', width: '140px', cell: ([role]) => <strong>{role}</strong> },
  { id: 'may', header: 'May', cell: ([, may]) => may },
];

export function Component() {
  const { data: me } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery(sessionsQuery);
  const columns: Column<OpenSession>[] = [
    {
      id: 'name',
      header: 'Who',
      sortBy: ({ name }) => name,
      cell: ({ name, id }) => (
        <>
          {name}
          {id === me?.session_id && (
            <span style={{ color: 'var(--mantine-color-dimmed)' }}> · this session</span>
          )}
        </>
      ),
    },
    { id: 'role', header: 'Role', sortBy: ({ role }) => role, cell: ({ role }) => role },
    {
      id: 'method',
      header: 'Signed in with',
      cell: ({ method }) => (method === 'oidc' ? 'OpenID Connect' : 'API key'),
      wideOnly: true,
    },
    {
      id: 'browser',
      header: 'From',
      cell: ({ user_agent }) => <span title={user_agent ?? ''}>{browserName(user_agent)}</span>,
      wideOnly: true,
    },
    {
      id: 'used',
      header: 'Last seen',
      sortBy: ({ used_at }) => used_at,
      cell: ({ used_at }) => <TimeText at={used_at} />,
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
      id: 'end',
      header: 'Action',
      align: 'right',
      cell: (session) => (
        <RemoveButton
          label="End"
          of={`the session of ${session.name}`}
          question={`${session.name} is signed out immediately.`}
          rows={sessionsQuery.queryKey}
          onRemove={() => revokeSession(session.id)}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader title="Members">
        People sign in through the identity provider, programs use API keys. Each has a role.
      </PageHeader>
      <Section title="Active sessions">
        <ErrorNotice error={error} title="Could not load sessions" onRetry={() => void refetch()} />
        {!error && <DataTable label="Sessions" columns={columns} rows={data} rowId={({ id }) => id} />}
      </Section>
      <Section title="Roles">
        <DataTable
          label="Roles"
          columns={ROLE_COLUMNS}
          rows={ROLES}
          rowId={([role]) => role}
          sortParameter="roles"
        />
      </Section>
      <Section title="Groups">
        <p style={{ marginTop: 0 }}>
          A platform setting maps groups of the identity provider to workspaces and roles:
        </p>
        <Command
          text={`SLIPWAY_OIDC_GROUPS='{"agents-admins": {"tenant_id": "${me?.tenant_id ?? '…'}", "role": "admin"}}'`}
        />
      </Section>
    </>
  );
}
