import type { Message, ToolMessage } from '@langchain/langgraph-sdk';
import { useEffect, useRef } from 'react';
import classes from './Conversation.module.css';
import { MessageView } from './MessageView.tsx';
import type { Playground } from './use-playground.ts';

const NEAR_END = 120;

/** The messages of the thread, as they come; results of tools are with what asked for them. */
export function Conversation({
  playground,
  assistantName,
}: {
  playground: Playground;
  assistantName: string;
}) {
  const { stream } = playground;
  const messages = stream.messages as Message[];
  const asked = new Set(
    messages.flatMap((message) =>
      message.type === 'ai' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    ),
  );
  const results = new Map(
    messages.flatMap((message): [string, ToolMessage][] =>
      message.type === 'tool' && asked.has(message.tool_call_id) ? [[message.tool_call_id, message]] : [],
    ),
  );
  const box = useRef<HTMLDivElement>(null);
  const last = messages.at(-1);
  useEffect(() => {
    const element = box.current;
    // Who reads above is left there.
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END)
      element.scrollTop = element.scrollHeight;
  }, [messages.length, last?.content]);
  return (
    <div
      ref={box}
      className={classes.messages}
      role="log"
      aria-label="Messages"
      aria-busy={stream.isLoading}
      tabIndex={0}
    >
      {messages.length === 0 && (
        <p className={classes.empty}>
          {stream.isThreadLoading
            ? 'Loading the thread …'
            : stream.isLoading
              ? 'Running: its steps are beside this.'
              : `Nothing was said yet. What you send starts a thread with ${assistantName}.`}
        </p>
      )}
      {messages
        .filter((message) => message.type !== 'tool' || !results.has(message.tool_call_id))
        .map((message, index) => (
          <MessageView
            key={message.id ?? index}
            message={message}
            index={index}
            results={results}
            playground={playground}
          />
        ))}
    </div>
  );
}
