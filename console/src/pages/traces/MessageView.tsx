import type { Message, RunMessages } from '../../api/tracing-messages.ts';
import { ContentItemView } from './ContentItemView.tsx';
import classes from './Messages.module.css';
import { countText } from './numbers.tsx';

const ROLES: Record<Message['role'], string> = {
  system: 'System',
  reasoning: 'Reasoning',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
};

/** A message with its role, content and usage. */
export function MessageView({
  message: { role, content, usage_metadata: usage },
  results,
  warnings,
}: {
  message: Message;
  /** Tool results by call. */
  results: Map<string, Message>;
  warnings: RunMessages['warnings'];
}) {
  return (
    <article className={classes.message} data-role={role} aria-label={ROLES[role]}>
      <header className={classes.head}>
        <span className={classes.role}>{ROLES[role]}</span>
        {usage && (
          <span className={`${classes.usage} numeric`}>
            {countText(usage.input_tokens)} in, {countText(usage.output_tokens)} out
          </span>
        )}
      </header>
      {content.map((item, index) => (
        <ContentItemView key={index} item={item} results={results} />
      ))}
      {content.length === 0 && <p className={classes.note}>Empty message.</p>}
      {warnings.map(({ code, detail }) => (
        <p key={`${code} ${detail}`} className={classes.warning}>
          {detail}
        </p>
      ))}
    </article>
  );
}
