const MAX_LENGTH = 300;

/** A short form of a value: the last message of a conversation, a single text, otherwise JSON. */
export function brief(value: unknown): string {
  const text = wordsOf(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const { messages } = value as { messages?: unknown };
  if (Array.isArray(messages) && messages.length > 0) return textOfMessage(messages.at(-1));
  const inner = Object.values(value);
  return inner.length === 1 ? wordsOf(inner[0]) : JSON.stringify(value);
}

/** Text of a message, whose content is a string or parts. */
function textOfMessage(message: unknown): string {
  const { content } = (typeof message === 'object' && message !== null ? message : {}) as {
    content?: unknown;
  };
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(message);
  const texts = content.flatMap((part: { text?: unknown } | null) =>
    typeof part?.text === 'string' ? part.text : [],
  );
  return texts.join(' ') || JSON.stringify(content);
}
