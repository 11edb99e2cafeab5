import type { Message } from '@langchain/langgraph-sdk';
import { JsonView } from '../../parts/JsonView.tsx';
import { MessageText } from '../../parts/MessageText.tsx';
import classes from './Conversation.module.css';

interface Part {
  type?: string;
  text?: string;
  reasoning?: string;
  thinking?: string;
  image_url?: string | { url: string };
}

/** Text of a message, including its text parts. */
export const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');

export function MessageContent({ content }: { content: Message['content'] }) {
  const parts: Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.map((part, index) => <ContentPart key={index} part={part} />);
}

function ContentPart({ part }: { part: Part }) {
  if (part.type === 'text') return part.text ? <MessageText text={part.text} /> : null;
  const thought = part.reasoning ?? part.thinking;
  if (thought !== undefined)
    return (
      <details className={classes.call}>
        <summary>Reasoning</summary>
        <div>
          <MessageText text={thought} />
        </div>
      </details>
    );
  const url = typeof part.image_url === 'string' ? part.image_url : part.image_url?.url;
  // The content security policy blocks images from other hosts.
  if (url?.startsWith('data:')) return <img className={classes.image} src={url} alt="" />;
  return <JsonView value={part} label={`Part of type ${part.type ?? 'unknown'}`} />;
}
