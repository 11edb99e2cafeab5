import { createHash } from 'node:crypto';
import { storableText } from '../../platform/storable-text.ts';
import { filterMembers } from './extra-parts.ts';
import { isObject } from '../../platform/json-object.ts';

// Keys of a run's extra that are ours.
const OURS = '\0slipway:';
const REPLACED = '\uFFFD';
const INEXACT = /[\0\uFFFD]|\p{Surrogate}/u;

/** Texts of a run's row: Postgres does not hold all that JSON does. */
export interface RowTexts {
  name: string | null;
  error: string | null;
  tags: string[] | null;
}

// Distinguishes texts that already hold U+FFFD from those where it is a replacement.
const isExact = (text: unknown): boolean => typeof text !== 'string' || !INEXACT.test(text);

/** Members of an extra that hold the texts which a row can only hold with replacements; undefined where it holds all. */
export function exactTexts(texts: {
  name: unknown;
  error: unknown;
  tags: string[] | undefined;
}): Record<string, unknown> | undefined {
  const members = [
    ...(['name', 'error'] as const).map((column) => [column, texts[column]] as const),
    // A key each: later tags add to earlier ones.
    ...(texts.tags ?? []).map((tag) => [`tag:${hash(tag)}`, tag] as const),
  ].filter(([, text]) => !isExact(text));
  return members.length === 0
    ? undefined
    : Object.fromEntries(members.map(([key, text]) => [OURS + key, text]));
}

const hash = (tag: string): string =>
  createHash('sha256').update(JSON.stringify(tag)).digest('base64').slice(0, 22);

/** Whether texts of the row may stand for others, which are in the body of extra. */
export const hasReplaced = ({ name, error, tags }: RowTexts): boolean =>
  [name, error, ...(tags ?? [])].some((text) => text?.includes(REPLACED));

/** The texts as they were sent, from the extra of a run. */
export function restoreTexts(row: RowTexts, extra: unknown): RowTexts {
  if (!isObject(extra)) return row;
  // A later value that a row can hold has replaced the earlier one.
  const restored = (column: 'name' | 'error') => {
    const text = extra[OURS + column];
    return typeof text === 'string' && storableText(text) === row[column] ? text : row[column];
  };
  return {
    name: restored('name'),
    error: restored('error'),
    tags: row.tags && restoredTags(row.tags, extra),
  };
}

function restoredTags(tags: string[], extra: Record<string, unknown>): string[] {
  const sent = Object.entries(extra).flatMap(([key, tag]) =>
    key.startsWith(`${OURS}tag:`) && typeof tag === 'string' ? tag : [],
  );
  const restored = tags.flatMap((tag, index) => {
    if (!tag.includes(REPLACED)) return tag;
    const of = sent.filter((one) => storableText(one) === tag);
    // Each has its place, unless an update has made one of those that are the same in a row.
    const isEach = tags.filter((one) => one === tag).length === of.length;
    return isEach ? of[tags.slice(0, index).filter((one) => one === tag).length]! : of.length > 0 ? of : tag;
  });
  return [...new Set(restored)];
}

/** The extra without these members: the client's own. */
export const withoutTexts = (extra: Buffer): Buffer =>
  extra.includes(JSON.stringify(OURS).slice(0, -1))
    ? filterMembers(extra, (key) => !key.startsWith(OURS))
    : extra;
