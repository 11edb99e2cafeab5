import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Message } from '../../api/tracing-messages.ts';
import { messagesQuery } from '../../api/tracing-messages.ts';
import type { Run } from '../../api/tracing-records.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { MessageView } from './MessageView.tsx';
import classes from './Messages.module.css';

/** Messages of any logged format; raw inputs and outputs if there are none. */
export function Messages({ run }: { run: Run }) {
  const { data, error } = useQuery(messagesQuery(run.id));
  if (error) return <ErrorNotice error={error} title="Could not load messages" />;
  if (!data) return <Skeleton height={160} />;
  const { messages, first_output, warnings, format } = data;
  const results = joinResults(messages);
  const show = (from: number, until: number) =>
    messages
      .slice(from, until)
      .map((message, index) =>
        results.joined.has(message) ? null : (
          <MessageView
            key={from + index}
            message={message}
            results={results.byCall}
            warnings={warnings.filter((warning) => warning.index === from + index)}
          />
        ),
      );
  const hasSaid = messages.length > 0;
  return (
    <>
      <h3 className={classes.side}>Input</h3>
      {first_output > 0 && show(0, first_output)}
      {(first_output === 0 || format.inputs === 'unknown') && <JsonView value={run.inputs} label="Inputs" />}
      <h3 className={classes.side}>Output</h3>
      {hasSaid && show(first_output, messages.length)}
      {(first_output === messages.length || format.outputs === 'unknown') && (
        <JsonView value={run.outputs} label="Outputs" />
      )}
    </>
  );
}

/** Tool results by call, and those without a call. */
function joinResults(messages: Message[]) {
  const calls = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((item) => (item.type === 'tool_call' && item.id ? [item.id] : [])),
    ),
  );
  const byCall = new Map<string, Message>();
  for (const message of messages)
    if (message.role === 'tool' && message.tool_call_id) byCall.set(message.tool_call_id, message);
  const joined = new Set([...byCall].flatMap(([id, message]) => (calls.has(id) ? [message] : [])));
  return { byCall, joined };
}
