import type { Message, ToolMessage } from '@langchain/langgraph-sdk';
import { useEffect, useRef } from 'react';
import classes from './Conversation.module.css';
import { MessageView } from './MessageView.tsx';
import type { Playground } from './use-playground.ts';

const NEAR_END = 120;

/** Messages of the thread as they stream; tool results appear with their calls. */
export function Conversation({
  playground,
  assistantName,
}: {
  playground: Playground;
  assistantName: string;
}) {
  const { stream } = playground;
  const messages = stream.messages as Message[];
  const callIds = new Set(
    messages.flatMap((message) =>
      message.type === 'ai' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    ),
  );
  const results = new Map(
    messages.flatMap((message): [string, ToolMessage][] =>
      message.type === 'tool' && callIds.has(message.tool_call_id) ? [[message.tool_call_id, message]] : [],
    ),
  );
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // Keeps the scroll position of a reader further up until the next message is sent.
  const follows = useRef(true);
  const questions = messages.filter(({ type }) => type === 'human').length;
  useEffect(() => void (follows.current = true), [questions]);
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.current) box.current!.scrollTop = box.current!.scrollHeight;
    });
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className={classes.messages}
      role="log"
      aria-label="Messages"
      aria-busy={stream.isLoading}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
    >
      <div ref={list} className={classes.list}>
        {messages.length === 0 && (
          <p className={classes.empty}>
            {stream.isThreadLoading
              ? 'Loading the thread …'
              : stream.isLoading
                ? 'Running. Steps are shown on the right.'
                : playground.checkpoints.length > 0
                  ? 'No messages in this thread yet.'
                  : `No messages yet. Your first message starts a thread with ${assistantName}.`}
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
    </div>
  );
}
