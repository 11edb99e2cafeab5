import type { ToolMessage } from '@langchain/langgraph-sdk';
import { JsonView } from '../../parts/JsonView.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import classes from './Conversation.module.css';
import { MessageContent } from './MessageContent.tsx';

/** A tool call and its result. */
export function ToolCall({
  name,
  args,
  result,
}: {
  name: string;
  args: unknown;
  result: ToolMessage | undefined;
}) {
  const hasFailed = result?.status === 'error';
  return (
    <details className={classes.call} open>
      <summary>
        <code>{name}</code>{' '}
        <StatusBadge
          status={hasFailed ? 'error' : result ? 'success' : 'running'}
          label={hasFailed ? 'Failed' : result ? 'Completed' : 'Pending'}
        />
      </summary>
      <div>
        <JsonView value={args} label={`Arguments of ${name}`} />
        {result && (
          <>
            <div className={classes.label}>Result</div>
            <MessageContent content={result.content} />
          </>
        )}
      </div>
    </details>
  );
}
