import { isUtf8 } from 'node:buffer';
import { InvalidRequest } from '../../platform/errors.ts';
import { storableText } from '../../platform/storable-text.ts';

const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

export const UNSTORABLE = 'Text may not contain U+0000 or unpaired surrogates';

export const isStorableText = (text: string): boolean => storableText(text) === text;

/** Throws InvalidRequest when Postgres cannot store the value; `json` is its JSON text. */
export function requireStorable(value: unknown, json: string): void {
  if (!isStorable(json) && storableJson(value) !== JSON.stringify(value))
    throw new InvalidRequest(UNSTORABLE);
}

/** Throws InvalidRequest unless the values of a query string can be stored exactly. */
export function requireStorableQuery(query: string): void {
  const bytes = query.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (bytes.includes('\0') || !isUtf8(Buffer.from(bytes, 'latin1'))) throw new InvalidRequest(UNSTORABLE);
}

/** Serialises JSON that Postgres stores exactly. Throws InvalidRequest. */
export function exactJson(value: unknown): string {
  const json = JSON.stringify(value);
  requireStorable(value, json);
  return json;
}

/** Serialises JSON and replaces characters that Postgres cannot store. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return isStorable(text) ? text : JSON.stringify(value, storable);
}

/** Whether Postgres can store the output of JSON.stringify. May return false for storable text. */
export const isStorable = (json: string): boolean => !MAYBE_UNSTORABLE.test(json);

function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), item as unknown]));
}
