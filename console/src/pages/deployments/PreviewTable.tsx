import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { deploymentsQuery, healthQuery } from '../../api/control-plane.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { Section } from '../../parts/Section.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { Health } from './Health.tsx';

/** Preview deployments, one per open pull request. */
export function PreviewTable({ deployment: { id, name } }: { deployment: Deployment }) {
  const { data } = useQuery(deploymentsQuery);
  const { data: health } = useQuery(healthQuery);
  const columns: Column<Deployment>[] = [
    {
      id: 'request',
      header: 'Pull request',
      width: '120px',
      cell: (preview) => (
        <Anchor component={Link} to={`/deployments/${preview.id}`} fw={550} className="numeric">
          #{preview.preview_number}
        </Anchor>
      ),
    },
    { id: 'preview', header: 'Deployment', cell: (preview) => preview.name, wideOnly: true },
    {
      id: 'state',
      header: 'Health',
      cell: (preview) => <Health of={health?.find(({ deployment_id }) => deployment_id === preview.id)} />,
    },
    {
      id: 'pushed',
      header: 'Changed',
      align: 'right',
      cell: ({ updated_at }) => <TimeText at={updated_at} />,
    },
  ];
  return (
    <Section title="Previews">
      <DataTable
        label="Previews"
        columns={columns}
        rows={data?.filter(({ preview_of }) => preview_of === id)}
        rowId={(preview) => preview.id}
        rowTo={(preview) => `/deployments/${preview.id}`}
        sortParameter="previews"
        empty={
          <EmptyState title="No open pull requests">
            Each pull request into the branch gets its own deployment, {name}-pr-&lt;number&gt;, until it is
            closed. Requires the integration’s webhook.
          </EmptyState>
        }
      />
    </Section>
  );
}
