import { Alert, Anchor, Skeleton, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import type { Source } from '../../api/control-plane-records.ts';
import { deploymentQuery, revisionQuery, timelineQuery } from '../../api/control-plane.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useNow } from '../../parts/use-now.ts';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { PhaseBar } from './PhaseBar.tsx';
import { isInProgress } from './revision-states.ts';
import { RevisionActions } from './RevisionActions.tsx';
import { RevisionLog } from './RevisionLog.tsx';
import { sourceFacts } from './source-facts.tsx';
import { Steps } from './Steps.tsx';

const FAILED = /FAILED$/;

const REMEDIES: Record<Source, string> = {
  git_host: 'Push a fix and create a new revision, or change the source:',
  external_container: 'Fix the image, or choose another:',
  internal_container: 'Push another image and select it:',
  internal_source: 'Upload a fix, or change how it is built:',
};

export function Component() {
  const { deploymentId = '', revisionId = '' } = useParams();
  const [search, setSearch] = useSearch();
  const { data: deployment } = useQuery(deploymentQuery(deploymentId));
  const { data: revision, error, refetch } = useQuery(revisionQuery(deploymentId, revisionId));
  const { data: timeline } = useQuery(timelineQuery(deploymentId, revisionId));
  const now = useNow();
  const parents = [
    { label: 'Deployments', to: '/deployments' },
    { label: deployment?.name ?? '…', to: `/deployments/${deploymentId}` },
  ];
  if (error)
    return (
      <>
        <PageHeader title="Revision" parents={parents} />
        <ErrorNotice error={error} title="Could not load this revision" onRetry={() => void refetch()} />
      </>
    );
  if (!revision || !deployment)
    return (
      <>
        <PageHeader title="Revision" parents={parents} />
        <Skeleton height={62} mb={20} />
        <Skeleton height={300} />
      </>
    );
  const serves = deployment.active_revision_id === revision.id;
  const tab =
    search.get('log') ?? (isInProgress(revision.status) || FAILED.test(revision.status) ? 'build' : 'deploy');
  const select = (value: string | null): void =>
    setSearch(
      (before) => {
        before.set('log', value ?? 'build');
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <>
      <PageHeader
        title={`Revision ${revision.number}`}
        parents={parents}
        actions={<RevisionActions deployment={deployment} revision={revision} />}
      >
        <StatusBadge status={revision.status} />
        {serves && <StatusBadge status="active" tone="ok" />}
        <span>
          {revision.reason}, by {revision.created_by ?? 'the platform'}
        </span>
        <TimeText at={revision.created_at} />
        <WorkflowLink id={`revision/${revision.id}`} />
      </PageHeader>
      {FAILED.test(revision.status) && (
        <Alert color="red" variant="light" mb="md" icon={<Icon name="warning" />} title="Deployment failed">
          <Text size="sm">{revision.status_message ?? 'See the log for details.'}</Text>
          <Text size="sm" mt={4}>
            {deployment.active_revision_id && 'The previous revision keeps running. '}
            {REMEDIES[revision.source]}{' '}
            <Anchor component={Link} to={`/deployments/${deploymentId}/edit`} c="inherit" underline="always">
              Edit deployment
            </Anchor>
          </Text>
        </Alert>
      )}
      <Facts facts={sourceFacts(deployment, revision)} />
      {timeline && <PhaseBar steps={timeline.steps} now={now} />}
      {timeline ? <Steps steps={timeline.steps} now={now} /> : <Skeleton height={120} mb={20} />}
      <Tabs value={tab} onChange={select} keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="build">Build log</Tabs.Tab>
          <Tabs.Tab value="deploy">Runtime log</Tabs.Tab>
        </Tabs.List>
        {(['build', 'deploy'] as const).map((phase) => (
          <Tabs.Panel key={phase} value={phase}>
            <RevisionLog deploymentId={deploymentId} revisionId={revisionId} phase={phase} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
