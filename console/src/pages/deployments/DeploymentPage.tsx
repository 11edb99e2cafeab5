import { Button, Skeleton, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import {
  deleteDeployment,
  deploymentHealthQuery,
  deploymentQuery,
  revisionsQuery,
} from '../../api/control-plane.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { ApiError } from '../../api/api-error.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Deleted, DeletionPanel } from './DeletionPanel.tsx';
import { DeploymentLinks } from './DeploymentLinks.tsx';
import { DeploymentLog } from './DeploymentLog.tsx';
import { Health, Replicas, TrafficText } from './Health.tsx';
import { NewRevisionButton } from './NewRevisionButton.tsx';
import { PreviewTable } from './PreviewTable.tsx';
import { PushPanel } from './PushPanel.tsx';
import { RevisionTable } from './RevisionTable.tsx';
import { SOURCE_NAMES } from './source-names.ts';
import { TrafficPanel } from './TrafficPanel.tsx';

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

export function Component() {
  const { deploymentId = '' } = useParams();
  const [search, setSearch] = useSearch();
  // It may be gone before the next poll.
  const [isDeleted, setDeleted] = useState(false);
  const queries = useQueryClient();
  const { data: deployment, error, refetch } = useQuery(deploymentQuery(deploymentId));
  const { data: health } = useQuery(deploymentHealthQuery(deploymentId));
  const { data: revisions } = useQuery(revisionsQuery(deploymentId));
  const parents = [{ label: 'Deployments', to: '/deployments' }];
  const isLeaving = isDeleted || deployment?.status.endsWith('DELETE');
  if (deployment && isLeaving && isGone(error))
    return (
      <>
        <PageHeader title={deployment.name} parents={parents} />
        <Deleted name={deployment.name} />
      </>
    );
  if (error)
    return (
      <>
        <PageHeader title="Deployment" parents={parents} />
        <ErrorNotice error={error} title="Could not load this deployment" onRetry={() => void refetch()} />
      </>
    );
  if (!deployment)
    return (
      <>
        <PageHeader title="Deployment" parents={parents} />
        <Skeleton height={62} mb={20} />
        <Skeleton height={240} />
      </>
    );
  const address = `${location.origin}/d/${deployment.id}`;
  const { active_revision_id: active } = deployment;
  const leave = async (): Promise<void> => {
    await deleteDeployment(deployment.id);
    setDeleted(true);
    await queries.invalidateQueries({ queryKey: ['deployments'] });
  };
  return (
    <>
      <PageHeader
        title={deployment.name}
        parents={parents}
        actions={
          !isLeaving && (
            <>
              {deployment.latest_revision_id && <NewRevisionButton deployment={deployment} />}
              <Button variant="default" component={Link} to={`/deployments/${deployment.id}/edit`}>
                Edit
              </Button>
              <ConfirmButton
                label="Delete"
                isDangerous
                question={`This permanently deletes ${deployment.name} with its revisions, threads and store. Traces are kept.`}
                onConfirm={leave}
              />
            </>
          )
        }
      >
        {isLeaving ? (
          <StatusBadge status={deployment.status} label="Being deleted" />
        ) : (
          <Health of={health} />
        )}
        <span style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
          <code>{`/d/${deployment.id}`}</code>
          <CopyButton text={address} label="Copy address" />
        </span>
        {active && !isLeaving && <DeploymentLinks deployment={deployment} />}
        <WorkflowLink id={`deployment/${deployment.id}`} />
      </PageHeader>
      <Facts
        facts={[
          ['Replicas', <Replicas key="replicas" of={health} />],
          ['Requests', <TrafficText key="traffic" of={health} />],
          ['Latency p50', <Duration key="p50" ms={health?.traffic?.p50_ms} />],
          ['Latency p95', <Duration key="p95" ms={health?.traffic?.p95_ms} />],
          ['Source', SOURCE_NAMES[deployment.source]],
          [
            'Environment',
            `${deployment.secrets.length} variable${deployment.secrets.length === 1 ? '' : 's'}`,
          ],
        ]}
      />
      {isLeaving ? (
        <DeletionPanel status={deployment.status} health={health} revisions={revisions} />
      ) : (
        <Tabs
          value={search.get('tab') ?? 'revisions'}
          onChange={(tab) =>
            setSearch(tab === 'log' ? { tab } : {}, { replace: true, preventScrollReset: true })
          }
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
            <Tabs.Tab value="log">Log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="revisions">
            <TrafficPanel deployment={deployment} revisions={revisions} />
            <Section title="Revisions">
              <RevisionTable deployment={deployment} revisions={revisions} />
            </Section>
            {deployment.source_config.preview_pull_requests && <PreviewTable deployment={deployment} />}
            {deployment.source === 'internal_container' && <PushPanel deployment={deployment} />}
          </Tabs.Panel>
          <Tabs.Panel value="log">
            <DeploymentLog deployment={deployment} />
          </Tabs.Panel>
        </Tabs>
      )}
    </>
  );
}
