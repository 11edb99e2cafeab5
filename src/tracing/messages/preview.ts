import { isObject } from '../../platform/json-object.ts';

import type { Message } from './message.ts';
import { aloneText, recognise, type Side } from './message-formats.ts';
import { isLikeMedia, shortJson } from './short-json.ts';

const MAX_LENGTH = 160;
// Bounds the search for text, because it runs on ingest.
const LOOK_BACK = 8;
const MAX_LIST_LENGTH = 1_000;
const MAX_VALUES = 20_000;

/**
 * A preview of at most 160 characters for lists: the last human (inputs) or model text (outputs), else short JSON.
 * Undefined for empty bodies.
 */
export function previewOf(value: unknown, side: Side): string | undefined {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return undefined;
  try {
    const body = shortLists(value);
    const words = isSmall(body) ? lastWords(body, side) : undefined;
    return cut(words ?? aloneWords(value) ?? shortJson(value, MAX_LENGTH)) || undefined;
  } catch {
    // A preview must never prevent storing a run.
    return undefined;
  }
}

// Unmerged streams are read from the start, conversations from the end.
const STREAMS = new Set(['output', 'outputs']);

/** Shortens long lists to the relevant end. */
function shortLists(body: object): unknown {
  const isLong = (list: unknown): list is unknown[] => Array.isArray(list) && list.length > MAX_LIST_LENGTH;
  if (!Object.values(body).some(isLong)) return body;
  const cutList = (key: string, list: unknown): unknown =>
    isLong(list) ? (STREAMS.has(key) ? list.slice(0, MAX_LIST_LENGTH) : list.slice(-MAX_LIST_LENGTH)) : list;
  return Object.fromEntries(Object.entries(body).map(([key, list]) => [key, cutList(key, list)]));
}

/** Whether the body has few enough values to search. */
function isSmall(body: unknown): boolean {
  const open: unknown[] = [body];
  for (let seen = 0; seen < MAX_VALUES; seen++) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null) {
      const inside: unknown[] = Array.isArray(value) ? value : Object.values(value);
      for (const inner of inside)
        if (typeof inner === 'object' && open.push(inner) > MAX_VALUES) return false;
    }
    if (open.length === 0) return true;
  }
  return false;
}

function lastWords(value: unknown, side: Side): string | undefined {
  const wanted = side === 'inputs' ? 'user' : 'assistant';
  const { entries, read } = recognise({ [side]: value }, side);
  let second: string | undefined;
  for (const entry of entries.slice(-LOOK_BACK).toReversed())
    for (const message of read([entry]).toReversed()) {
      const words = wordsOf(message);
      if (words && message.role === wanted) return words;
      second ??= words || callsOf(message);
    }
  return second;
}

function wordsOf({ content }: Message): string {
  let words = '';
  for (const item of content) {
    if (words.length > MAX_LENGTH) break;
    if (item.type === 'text' && !item.extras?.['unknown']) words += (words && '\n') + item.text;
  }
  return words;
}

// More would not fit.
const MAX_CALLS = 20;

const callsOf = ({ content }: Message): string | undefined =>
  content
    .slice(0, MAX_CALLS)
    .flatMap((item) =>
      item.type === 'tool_call' ? [`${item.name ?? 'call'}(${shortJson(item.args, MAX_LENGTH)})`] : [],
    )
    .join(', ') || undefined;

function aloneWords(value: unknown): string | undefined {
  const text = isObject(value) ? aloneText(value) : undefined;
  return text !== undefined && !isLikeMedia(text) ? text : undefined;
}

/** Cuts without splitting surrogate pairs. */
const cut = (text: string): string => {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
};
