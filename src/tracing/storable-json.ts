import { storableText } from '../platform/storable-text.ts';

const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** JSON text that Postgres takes: what it cannot hold as text is replaced. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return isStorable(text) ? text : JSON.stringify(value, storable);
}

/** Whether Postgres holds what JSON.stringify wrote; false, too, for texts that look as if it did not. */
export const isStorable = (json: string): boolean => !UNSTORABLE.test(json);

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), item as unknown]));
}
