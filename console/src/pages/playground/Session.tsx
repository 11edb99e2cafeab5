import { Anchor, Tabs } from '@mantine/core';
import type { Assistant } from '@langchain/langgraph-sdk';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { AssistantSchemas } from '../../api/agent-assistants.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { Interrupts } from './Interrupts.tsx';
import { Output } from './Output.tsx';
import { RunError } from './RunError.tsx';
import { takesMessages } from './schema-fields.ts';
import classes from './Session.module.css';
import { StepList } from './StepList.tsx';
import { usePlayground } from './use-playground.ts';

const GraphView = lazy(() => import('./GraphView.tsx'));

interface SessionProps {
  deploymentId: string;
  assistant: Assistant;
  schemas: AssistantSchemas;
  threadId: string | null;
  onThreadId: (threadId: string) => void;
}

/** The conversation on the left, its steps and state on the right. */
export default function Session({ deploymentId, assistant, schemas, threadId, onThreadId }: SessionProps) {
  const playground = usePlayground({
    deploymentId,
    assistantId: assistant.assistant_id,
    threadId,
    onThreadId,
  });
  const [search, setSearch] = useSearch();
  const choose = (view: string | null): void =>
    setSearch(
      (before) => {
        before.set('view', view ?? 'steps');
        return before;
      },
      { replace: true },
    );
  const { stream, steps } = playground;
  const isChat = takesMessages(schemas.input_schema) || Array.isArray(stream.values['messages']);
  return (
    <div className={classes.session}>
      <section className={classes.talk} aria-label="Conversation">
        {isChat ? (
          <Conversation playground={playground} assistantName={assistant.name} />
        ) : (
          <Output playground={playground} />
        )}
        <RunError error={playground.error} />
        <Interrupts playground={playground} />
        <Composer playground={playground} schema={schemas.input_schema} />
      </section>
      <section className={classes.look} aria-label="Run details">
        <Tabs value={search.get('view') ?? 'steps'} onChange={choose} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="steps">Steps</Tabs.Tab>
            <Tabs.Tab value="graph">Graph</Tabs.Tab>
            <Tabs.Tab value="state">State</Tabs.Tab>
            <Tabs.Tab value="history">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="steps">
            <StepList playground={playground} />
          </Tabs.Panel>
          <Tabs.Panel value="graph">
            <Suspense>
              <GraphView deploymentId={deploymentId} assistantId={assistant.assistant_id} steps={steps} />
            </Suspense>
          </Tabs.Panel>
          <Tabs.Panel value="state">
            <JsonView value={stream.values} label="State of the thread" />
          </Tabs.Panel>
          <Tabs.Panel value="history">
            <HistoryPanel playground={playground} />
          </Tabs.Panel>
        </Tabs>
        {threadId && (
          <p className={classes.more}>
            <Anchor component={Link} to={`/threads/${deploymentId}/${threadId}`} size="sm">
              All runs of this thread
            </Anchor>
          </p>
        )}
      </section>
    </div>
  );
}
