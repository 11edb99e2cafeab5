import { Button, Group, Textarea } from '@mantine/core';
import type { Message, ToolMessage } from '@langchain/langgraph-sdk';
import { useState } from 'react';
import { BranchSwitch } from './BranchSwitch.tsx';
import classes from './Conversation.module.css';
import { MessageContent, textOf } from './MessageContent.tsx';
import { ToolCall } from './ToolCall.tsx';
import type { Playground } from './use-playground.ts';

const ROLES: Record<string, string> = {
  human: 'You',
  ai: 'Assistant',
  system: 'System',
  tool: 'Tool',
  function: 'Tool',
  remove: 'Removed',
};

/** A message with its tool calls and other versions. */
export function MessageView({
  message,
  index,
  results,
  playground,
}: {
  message: Message;
  index: number;
  /** Tool results by call id. */
  results: Map<string, ToolMessage>;
  playground: Playground;
}) {
  const { stream } = playground;
  const [draft, setDraft] = useState<string>();
  const about = stream.getMessagesMetadata(message, index);
  const before = about?.firstSeenState?.parent_checkpoint;
  const calls = message.type === 'ai' ? (message.tool_calls ?? []) : [];
  const canBranch = before && !stream.isLoading;
  const sendAgain = (): void => {
    const edited = { ...message, content: draft! };
    setDraft(undefined);
    void playground.replay(before!, { messages: [edited] });
  };
  return (
    <article className={classes.message} data-role={message.type}>
      <header className={classes.head}>
        <span className={classes.role}>{ROLES[message.type] ?? message.type}</span>
        {message.name && <span>{message.name}</span>}
        <BranchSwitch about={about} onChoose={stream.setBranch} />
        {canBranch && message.type === 'human' && draft === undefined && (
          <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setDraft(textOf(message))}>
            Edit
          </Button>
        )}
        {canBranch && message.type === 'ai' && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            onClick={() => void playground.replay(before)}
          >
            Rerun
          </Button>
        )}
      </header>
      {draft === undefined ? (
        <div className={classes.body}>
          <MessageContent content={message.content} />
        </div>
      ) : (
        <div className={classes.edit}>
          <Textarea
            aria-label="Message"
            data-autofocus
            rows={3}
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button onClick={sendAgain}>Send as new branch</Button>
            <Button variant="default" onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
          </Group>
        </div>
      )}
      {calls.map(({ id, name, args }, place) => (
        <ToolCall key={id ?? place} name={name} args={args} result={id ? results.get(id) : undefined} />
      ))}
    </article>
  );
}
