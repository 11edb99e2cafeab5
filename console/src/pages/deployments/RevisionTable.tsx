import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Deployment, Revision, Traffic } from '../../api/control-plane-records.ts';
import { trafficQuery } from '../../api/control-plane.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';

const SHORT_SHA = 10;

const madeOf = ({ source_revision_config: { repo_commit_sha, repo_ref, image_uri } }: Revision): string =>
  image_uri ?? repo_commit_sha?.slice(0, SHORT_SHA) ?? repo_ref ?? '–';

const columns = (
  { id, active_revision_id }: Deployment,
  traffic: Traffic | undefined,
): Column<Revision>[] => [
  {
    id: 'number',
    header: 'Revision',
    width: '90px',
    sortBy: ({ number }) => number,
    cell: (revision) => (
      <Anchor
        component={Link}
        to={`/deployments/${id}/revisions/${revision.id}`}
        fw={550}
        className="numeric"
      >
        #{revision.number}
      </Anchor>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    sortBy: ({ status }) => status,
    cell: ({ id: revision, status }) => {
      if (revision === active_revision_id) return <StatusBadge status="active" tone="ok" />;
      const share = traffic?.canaries.find(({ revision_id }) => revision_id === revision)?.percent;
      if (share !== undefined) return <StatusBadge status={`canary, ${share} %`} tone="busy" />;
      if (traffic?.watched.includes(revision)) return <StatusBadge status="canary" tone="busy" />;
      // Only one deployed revision is active.
      return status === 'DEPLOYED' ? (
        <StatusBadge status="retired" tone="idle" />
      ) : (
        <StatusBadge status={status} />
      );
    },
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason, status, status_message }) => (
      <>
        {reason}
        {status_message && status.endsWith('FAILED') && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {status_message}
          </Text>
        )}
      </>
    ),
    wideOnly: true,
  },
  {
    id: 'of',
    header: 'Source',
    cell: (revision) => <code>{madeOf(revision)}</code>,
    wideOnly: true,
  },
  {
    id: 'who',
    header: 'Who',
    sortBy: ({ created_by }) => created_by,
    cell: ({ created_by }) => created_by ?? 'the platform',
    wideOnly: true,
  },
  {
    id: 'when',
    header: 'When',
    align: 'right',
    sortBy: ({ created_at }) => created_at,
    cell: ({ created_at }) => <TimeText at={created_at} />,
  },
];

/** Revisions of a deployment, newest first. */
export function RevisionTable({
  deployment,
  revisions,
}: {
  deployment: Deployment;
  revisions: Revision[] | undefined;
}) {
  const { data: traffic } = useQuery(trafficQuery(deployment.id));
  return (
    <DataTable
      label="Revisions"
      columns={columns(deployment, traffic)}
      rows={revisions}
      rowId={({ id }) => id}
      rowTo={({ id }) => `/deployments/${deployment.id}/revisions/${id}`}
      empty={
        deployment.source === 'internal_container' ? (
          <EmptyState title="No revisions yet">
            Push an image to create the first revision, as described below.
          </EmptyState>
        ) : (
          <EmptyState
            title="No revisions yet"
            command={`SLIPWAY_API_KEY=… npx @slipway-dev/slipway deploy --url ${location.origin} --name '${deployment.name}'`}
          >
            Deploy from your project folder to create the first revision:
          </EmptyState>
        )
      }
    />
  );
}
