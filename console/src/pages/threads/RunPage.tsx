import { Anchor, Alert, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { cancelRun, failureOf, isLive, removeRun, runQuery, threadQuery } from '../../api/agent-threads.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { Duration } from '../../parts/Duration.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { RunEvents } from './RunEvents.tsx';
import { durationOf } from './RunTable.tsx';
import { WebhookSection } from './WebhookSection.tsx';

/** A run: input, events and outcome. */
export function Component() {
  const { deploymentId = '', threadId = '', runId = '' } = useParams();
  const { data: run, error, refetch } = useQuery(runQuery(deploymentId, threadId, runId));
  const { data: thread } = useQuery({
    ...threadQuery(deploymentId, threadId),
    enabled: run?.status === 'error',
  });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const threadTo = `/threads/${deploymentId}/${threadId}`;
  const changed = () => queries.invalidateQueries({ queryKey: ['agent', deploymentId, 'thread', threadId] });
  const failure = failureOf(thread);
  return (
    <>
      <PageHeader
        title={`Run ${runId.slice(0, 8)}…${runId.slice(-6)}`}
        parents={[
          { label: 'Threads and runs', to: `/threads?deployment=${deploymentId}` },
          { label: `Thread ${threadId.slice(0, 8)}…`, to: threadTo },
        ]}
        actions={
          run && (
            <>
              {isLive(run.status) && (
                <ConfirmButton
                  label="Cancel run"
                  question="It stops after the current step. Its state is kept."
                  onConfirm={async () => {
                    await cancelRun(deploymentId, threadId, runId);
                    await changed();
                  }}
                />
              )}
              <ConfirmButton
                label="Delete run"
                question="This also deletes its checkpoints."
                isDangerous
                onConfirm={async () => {
                  await removeRun(deploymentId, threadId, runId);
                  await navigate(threadTo);
                }}
              />
            </>
          )
        }
      >
        <span className="mono">{runId}</span>
        <Anchor component={Link} to={`/traces/runs/${runId}`} size="sm">
          Trace
        </Anchor>
        <WorkflowLink id={`${deploymentId}/thread/${threadId}`} />
      </PageHeader>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {run && (
        <>
          <Facts
            facts={[
              ['Status', <StatusBadge key="status" status={run.status} />],
              ['Duration', <Duration key="duration" ms={durationOf(run)} />],
              ['When busy', run.multitask_strategy ?? '–'],
              ['Created', <TimeText key="created" at={run.created_at} />],
            ]}
          />
          {run.status === 'error' && failure && (
            <Alert color="red" variant="light" mb="lg" title="Error">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <code>{failure.name}</code> {failure.message}
              </Text>
            </Alert>
          )}
          <Section title="Events">
            <RunEvents
              key={runId}
              deploymentId={deploymentId}
              threadId={threadId}
              runId={runId}
              isLive={isLive(run.status)}
            />
          </Section>
          <WebhookSection deploymentId={deploymentId} run={run} />
          <Section title="Input">
            <Group gap="xs" mb="xs" c="dimmed" fz="sm">
              Assistant
              <Anchor
                component={Link}
                size="sm"
                to={`/playground/${deploymentId}?assistant=${run.assistant_id}&thread=${threadId}`}
              >
                {run.assistant_id}
              </Anchor>
            </Group>
            <JsonView value={run.kwargs} label="Arguments of the run" />
          </Section>
          <Section title="Metadata">
            <JsonView value={run.metadata ?? {}} label="Metadata" />
          </Section>
        </>
      )}
    </>
  );
}
