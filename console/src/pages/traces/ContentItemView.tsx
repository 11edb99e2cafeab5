import type { ContentItem, MediaItem, Message, ToolCallItem } from '../../api/tracing-messages.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import { LongText } from '../../parts/LongText.tsx';
import { MessageText } from '../../parts/MessageText.tsx';
import { MediaView } from './MediaView.tsx';
import classes from './Messages.module.css';

/** A content item by type. Tool results follow their calls. */
export function ContentItemView({ item, results }: { item: ContentItem; results: Map<string, Message> }) {
  switch (item.type) {
    case 'text':
      return <MessageText text={item.text} />;
    case 'reasoning':
      return (
        <details className={classes.reasoning}>
          <summary>Reasoning</summary>
          <MessageText text={item.text} />
        </details>
      );
    case 'tool_call':
    case 'server_tool_call':
      return <ToolCall call={item} result={item.id === undefined ? undefined : results.get(item.id)} />;
    case 'server_tool_result':
      return (
        <div className={classes.call}>
          <div className={classes.callHead}>
            Result{item.status === 'error' && <span className={classes.failed}> failed</span>}
          </div>
          <JsonView value={item.output} label="Result of the call" />
        </div>
      );
    default:
      return <Media item={item} />;
  }
}

const ToolCall = ({ call, result }: { call: ToolCallItem; result: Message | undefined }) => (
  <div className={classes.call}>
    <div className={classes.callHead}>
      Calls <code>{call.name ?? 'a tool'}</code>
      {call.id && <span className={classes.callId}>{call.id}</span>}
    </div>
    <JsonView value={call.args} label={`Arguments of ${call.name ?? 'the call'}`} />
    {result && (
      <>
        <div className={classes.callHead}>Result</div>
        {result.content.map((item, index) =>
          item.type === 'text' ? (
            <ToolText key={index} text={item.text} />
          ) : (
            <ContentItemView key={index} item={item} results={NONE} />
          ),
        )}
      </>
    )}
  </div>
);

const NONE = new Map<string, Message>();

/** Tools usually return JSON. */
function ToolText({ text }: { text: string }) {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  return value === undefined ? (
    <LongText text={text} />
  ) : (
    <JsonView value={value} label="Result of the call" />
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const TYPES = {
  image: 'image/png',
  audio: 'audio/wav',
  video: 'video/mp4',
  file: 'application/octet-stream',
};

function Media({ item: { type, url, base64, id, mime_type } }: { item: MediaItem }) {
  const mimeType = mime_type ?? TYPES[type];
  const address = base64 === undefined ? url : `data:${mimeType};base64,${base64}`;
  if (address === undefined)
    return (
      <p className={classes.file}>
        {type} {id ? <code>{id}</code> : 'without content'}
      </p>
    );
  return <MediaView url={address} mimeType={mimeType} name={`${type} of the message`} />;
}
