import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Integration } from '../../api/integration-records.ts';
import { deleteIntegration, integrationsQuery } from '../../api/integrations.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { RemoveButton } from '../../parts/RemoveButton.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { CREDENTIAL_NAMES, keptCredentials } from './credentials.ts';
import { IntegrationButton } from './IntegrationButton.tsx';
import { WebhookButton } from './WebhookButton.tsx';

const COLUMNS: Column<Integration>[] = [
  { id: 'name', header: 'Name', sortBy: ({ name }) => name, cell: ({ name }) => name },
  { id: 'host', header: 'Host', sortBy: ({ url }) => url, cell: ({ url }) => url, wideOnly: true },
  {
    id: 'credentials',
    header: 'Credentials',
    cell: (integration) =>
      keptCredentials(integration)
        .map((name) => CREDENTIAL_NAMES[name])
        .join(', ') || 'none',
    wideOnly: true,
  },
  {
    id: 'repositories',
    header: 'Repositories',
    align: 'right',
    sortBy: ({ repositories }) => repositories.length,
    cell: ({ repositories }) => <span className="numeric">{repositories.length}</span>,
    wideOnly: true,
  },
  {
    id: 'webhook',
    header: 'Webhook',
    cell: ({ has_webhook_secret }) => (
      <StatusBadge
        status={has_webhook_secret ? 'secret set' : 'no secret'}
        tone={has_webhook_secret ? 'ok' : 'idle'}
      />
    ),
    wideOnly: true,
  },
  {
    id: 'created',
    header: 'Created',
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <TimeText at={created_at} />,
    wideOnly: true,
  },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (integration) => (
      <Group gap={4} justify="flex-end">
        <WebhookButton integration={integration} />
        <IntegrationButton integration={integration} />
        <RemoveButton
          of={integration.name}
          question={`Deployments that use ${integration.name} can no longer fetch private repositories, and its webhook stops working.`}
          rows={integrationsQuery.queryKey}
          onRemove={() => deleteIntegration(integration.id)}
        />
      </Group>
    ),
  },
];

/** Git host accounts. */
export function Component() {
  const { data, error, refetch } = useQuery(integrationsQuery);
  return (
    <>
      <PageHeader title="Integrations" actions={<IntegrationButton />}>
        Git host accounts fetch private repositories, deploy pushes and create previews of pull requests.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load integrations" onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Integrations"
          columns={COLUMNS}
          rows={data}
          rowId={({ id }) => id}
          empty={
            <EmptyState
              title="No git hosts yet"
              command={`curl -s -H "X-Api-Key: $KEY" -H 'content-type: application/json' ${location.origin}/v2/integrations -d '{"name":"acme","kind":"github","token":"'"$GITHUB_TOKEN"'"}'`}
            >
              Public repositories need none. Add one to fetch private repositories, deploy on push and preview
              pull requests.
            </EmptyState>
          }
        />
      )}
    </>
  );
}
