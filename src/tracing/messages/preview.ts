import { isObject } from './json-shape.ts';
import { hashOfLarge } from './media.ts';
import type { ContentItem, Message } from './message.ts';
import { recognise, type Side } from './message-formats.ts';

const LONGEST = 300;
// How far back a text is looked for: ingest pays for it.
const LOOK_BACK = 8;

/**
 * A body in at most 300 characters, for lists: the last thing the human said (inputs) or the model (outputs), else short
 * JSON. Undefined where there is nothing to show.
 */
export function previewOf(value: unknown, side: Side): string | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    return cut(lastWords(value, side) ?? aloneWords(value) ?? shortJson(value)) || undefined;
  } catch {
    // What a body looks like is never a reason not to store it.
    return undefined;
  }
}

function lastWords(value: unknown, side: Side): string | undefined {
  const wanted = side === 'inputs' ? 'user' : 'assistant';
  const { entries, read } = recognise({ [side]: value }, side);
  let second: string | undefined;
  for (const entry of entries.slice(-LOOK_BACK).toReversed())
    for (const message of read([entry]).toReversed()) {
      const words = message.content.map(wordsOf).filter(Boolean).join('\n');
      if (words && message.role === wanted) return words;
      second ??= words || callsOf(message);
    }
  return second;
}

const wordsOf = (item: ContentItem): string =>
  item.type === 'text' && !item.extras?.['unknown'] ? item.text : '';

const callsOf = ({ content }: Message): string | undefined =>
  content
    .flatMap((item) => (item.type === 'tool_call' ? [`${item.name ?? 'call'}(${shortJson(item.args)})`] : []))
    .join(', ') || undefined;

const aloneWords = (value: unknown): string | undefined => {
  const [only, ...others] = isObject(value) ? Object.values(value) : [value];
  return others.length === 0 && typeof only === 'string' && !hashOfLarge(only) ? only : undefined;
};

/** Never longer than it takes to fill a preview, however large the value. */
function shortJson(value: unknown): string {
  let text = '';
  const put = (one: unknown): void => {
    if (text.length > LONGEST) return;
    if (typeof one === 'string') text += JSON.stringify(shortText(one));
    else if (typeof one !== 'object' || one === null) text += JSON.stringify(one) ?? 'null';
    else if (Array.isArray(one)) putAll('[]', one.slice(0, LONGEST), put);
    else
      putAll('{}', Object.keys(one).slice(0, LONGEST), (key) => {
        text += `${JSON.stringify(shortText(key as string))}:`;
        put((one as Record<string, unknown>)[key as string]);
      });
  };
  const putAll = (brackets: string, all: unknown[], each: (one: unknown) => void): void => {
    text += brackets[0];
    for (const [index, one] of all.entries()) {
      if (text.length > LONGEST) return;
      if (index > 0) text += ',';
      each(one);
    }
    text += brackets[1];
  };
  put(value);
  return text;
}

// A long run of these characters alone is no language.
const BASE64 = /^(?:data:[^,]{0,100};base64,)?[A-Za-z0-9+/]{256}/;

/** Large media are told by their hash (contract §2.2). */
function shortText(text: string): string {
  const sha256 = BASE64.test(text.slice(0, 400)) ? hashOfLarge(text.slice(text.indexOf(',') + 1)) : undefined;
  return sha256 ? `… sha256:${sha256}` : text.slice(0, LONGEST + 1);
}

/** Cut where no character is torn. */
const cut = (text: string): string => {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
};
