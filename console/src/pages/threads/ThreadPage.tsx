import { Anchor, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { assistantOf, graphOf, removeThread, runsQuery, threadQuery } from '../../api/agent-threads.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { WorkflowLink } from '../../parts/WorkflowLink.tsx';
import { RunTable } from './RunTable.tsx';
import { ThreadHistory } from './ThreadHistory.tsx';

/** A thread: status, runs and history. */
export function Component() {
  const { deploymentId = '', threadId = '' } = useParams();
  const { data: thread, error, refetch } = useQuery(threadQuery(deploymentId, threadId));
  const runs = useQuery(runsQuery(deploymentId, threadId));
  const navigate = useNavigate();
  const queries = useQueryClient();
  const all = `/threads?deployment=${deploymentId}`;
  const assistant = thread ? assistantOf(thread) : '';
  const playground = new URLSearchParams({ ...(assistant && { assistant }), thread: threadId });
  return (
    <>
      <PageHeader
        title={`Thread ${threadId.slice(0, 8)}…${threadId.slice(-6)}`}
        parents={[{ label: 'Threads and runs', to: all }]}
        actions={
          <>
            <Button component={Link} to={`/playground/${deploymentId}?${playground}`}>
              Open in playground
            </Button>
            <ConfirmButton
              label="Delete thread"
              question="This also deletes its runs, checkpoints and crons, and cancels active runs."
              isDangerous
              onConfirm={async () => {
                await removeThread(deploymentId, threadId);
                queries.removeQueries({ queryKey: ['agent', deploymentId, 'thread', threadId] });
                await navigate(all);
              }}
            />
          </>
        }
      >
        <span className="mono">{threadId}</span>
        <WorkflowLink id={`${deploymentId}/thread/${threadId}`} />
      </PageHeader>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {thread && (
        <>
          <Facts
            facts={[
              ['Status', <StatusBadge key="status" status={thread.status} />],
              ['Graph', graphOf(thread) || '–'],
              ['Created', <TimeText key="created" at={thread.created_at} />],
              ['Updated', <TimeText key="updated" at={thread.updated_at} />],
            ]}
          />
          {thread.status === 'interrupted' && (
            <p>
              Waiting for input:{' '}
              <Anchor component={Link} to={`/playground/${deploymentId}?${playground}`}>
                answer it in the playground
              </Anchor>
              .
            </p>
          )}
          <Section title="Runs">
            <ErrorNotice error={runs.error} />
            <RunTable deploymentId={deploymentId} threadId={threadId} runs={runs.data} />
          </Section>
          <Section title="State">
            <JsonView value={thread.values ?? {}} label="State of the thread" />
          </Section>
          <Section title="History">
            <ThreadHistory deploymentId={deploymentId} thread={thread} />
          </Section>
          <Section title="Metadata">
            <JsonView value={thread.metadata ?? {}} label="Metadata" />
          </Section>
        </>
      )}
    </>
  );
}
