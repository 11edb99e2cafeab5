import { storableText } from '../platform/storable-text.ts';

const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Serialises JSON and replaces characters that Postgres cannot store. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return isStorable(text) ? text : JSON.stringify(value, storable);
}

/** Whether Postgres can store the output of JSON.stringify. May return false for storable text. */
export const isStorable = (json: string): boolean => !UNSTORABLE.test(json);

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), item as unknown]));
}
