import { createHash } from 'node:crypto';
import { storableText } from '../../platform/storable-text.ts';
import { filterMembers } from './extra-parts.ts';
import { isObject } from '../../platform/json-object.ts';

// Prefix of our own keys in a run's extra.
const OURS = '\0slipway:';
const REPLACED = '\uFFFD';
const INEXACT = /[\0\uFFFD]|\p{Surrogate}/u;

/** Texts of a run's row, which Postgres cannot always store exactly. */
export interface RowTexts {
  name: string | null;
  error: string | null;
  tags: string[] | null;
}

// Also false for a literal U+FFFD, so that it is distinguished from a replacement.
export const isExact = (text: unknown): boolean => typeof text !== 'string' || !INEXACT.test(text);

/** Members to add to extra for the texts that a row cannot hold exactly. Undefined if there are none. */
export function exactTexts(texts: {
  name: unknown;
  error: unknown;
  tags: string[] | undefined;
}): Record<string, unknown> | undefined {
  const members: [string, unknown][] = [];
  for (const column of ['name', 'error'] as const)
    if (!isExact(texts[column])) members.push([OURS + column, texts[column]]);
  // One key per tag, because later tags add to earlier ones.
  for (const tag of texts.tags ?? []) if (!isExact(tag)) members.push([`${OURS}tag:${hash(tag)}`, tag]);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

const hash = (tag: string): string =>
  createHash('sha256').update(JSON.stringify(tag)).digest('base64').slice(0, 22);

/** Whether the row's texts may contain replacements. */
export const hasReplaced = ({ name, error, tags }: RowTexts): boolean =>
  [name, error, ...(tags ?? [])].some((text) => text?.includes(REPLACED));

/** Restores the original texts from the run's extra. */
export function restoreTexts(row: RowTexts, extra: unknown): RowTexts {
  if (!isObject(extra)) return row;
  // Ignores an earlier text if a later, exact value replaced it.
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
  const shown = new Set<string>();
  return tags.flatMap((tag, index) => {
    if (!tag.includes(REPLACED)) return tag;
    const of = sent.filter((one) => storableText(one) === tag);
    // Duplicates after replacement map one to one, unless an update merged them.
    const isEach = tags.filter((one) => one === tag).length === of.length;
    const all = isEach ? [of[tags.slice(0, index).filter((one) => one === tag).length]!] : of;
    return (all.length > 0 ? all : [tag]).filter((one) => !shown.has(one) && shown.add(one));
  });
}

/** Removes our own members from extra. */
export const withoutTexts = (extra: Buffer): Buffer =>
  extra.includes(JSON.stringify(OURS).slice(0, -1))
    ? filterMembers(extra, (key) => !key.startsWith(OURS))
    : extra;
