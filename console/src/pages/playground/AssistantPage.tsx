import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { assistantsQuery, schemasQuery } from '../../api/agent-assistants.ts';
import { deploymentsQuery } from '../../api/control-plane.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';

const Session = lazy(() => import('./Session.tsx'));

/** A conversation with an assistant. Deployment and assistant are in the URL. */
export function Component() {
  const deploymentId = useParams()['deploymentId']!;
  const [search, setSearch] = useSearch();
  const { data: deployments } = useQuery(deploymentsQuery);
  const { data: assistants, error, refetch } = useQuery(assistantsQuery(deploymentId));
  const wanted = search.get('assistant');
  const threadId = search.get('thread');
  const assistant =
    assistants?.find(({ assistant_id, graph_id }) => assistant_id === wanted || graph_id === wanted) ??
    assistants?.[0];
  const schemas = useQuery({
    ...schemasQuery(deploymentId, assistant?.assistant_id ?? ''),
    enabled: assistant !== undefined,
  });
  const name = deployments?.find(({ id }) => id === deploymentId)?.name ?? 'Deployment';

  return (
    <>
      <PageHeader
        title={name}
        parents={[{ label: 'Playground', to: '/playground' }]}
        actions={
          assistant && (
            <>
              <NativeSelect
                size="xs"
                aria-label="Assistant"
                value={assistant.assistant_id}
                onChange={(event) => setSearch({ assistant: event.currentTarget.value })}
                data={assistants!.map(({ assistant_id, name }) => ({ value: assistant_id, label: name }))}
              />
              <Button
                variant="default"
                disabled={!threadId}
                leftSection={<Icon name="plus" size={14} />}
                onClick={() => setSearch({ assistant: assistant.assistant_id })}
              >
                New thread
              </Button>
            </>
          )
        }
      >
        {assistant?.description ?? 'Chat with an assistant and inspect each step'}
      </PageHeader>
      <ErrorNotice error={error ?? schemas.error} onRetry={() => void refetch()} />
      {assistants?.length === 0 && (
        <EmptyState title="No assistants yet">
          They appear once a revision with graphs in its graph.json is running.
        </EmptyState>
      )}
      {assistant && schemas.data && (
        <Suspense>
          <Session
            key={assistant.assistant_id}
            deploymentId={deploymentId}
            assistant={assistant}
            schemas={schemas.data}
            threadId={threadId}
            onThreadId={(thread) =>
              setSearch({ assistant: assistant.assistant_id, thread }, { replace: true })
            }
          />
        </Suspense>
      )}
    </>
  );
}
