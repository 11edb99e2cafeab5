import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../platform/schema.ts';
import { isStorable, storableJson } from '../json/storable-json.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Slice, sliceJson } from '../json/json-slices.ts';
import { isExact } from '../json/loose-json.ts';

// Limits of the searchable metadata in a row; the rest is stored in the body.
const MAX_KEYS = 200;
const MAX_VALUE_LENGTH = 4_000;

// Values that a row shows in place of others: 0 for -0, null for 1e400, U+FFFD for what Postgres cannot store.
const STAND_IN = /(?<![\d.])0(?![\d.])|null|\ufffd/;

/** A body field as JSON text and parsed value. */
export interface Field {
  value: unknown;
  text: Buffer;
  /** False if `value` does not represent all numbers of `text` exactly. */
  isExact?: boolean;
}

export interface SplitExtra {
  metadata: JsonObject | undefined;
  /** JSON text of everything else; undefined if empty. */
  rest: Buffer | undefined;
}

/**
 * Splits `extra` into searchable metadata for the row and a body for the rest, which includes metadata that the row
 * cannot hold exactly.
 */
export function splitExtra(
  { value: extra, text, isExact: isAllExact = true }: Field,
  kind: 'post' | 'patch',
): SplitExtra {
  if (!isObject(extra)) return { metadata: undefined, rest: undefined };
  const { metadata, ...others } = extra;
  const slices = isAllExact ? undefined : sliceJson(text, 2).members;
  const kept: [string, unknown][] = [];
  const large: string[] = [];
  for (const [key, value] of Object.entries(isObject(metadata) ? metadata : {})) {
    const json = JSON.stringify(value);
    const isNamed = kept.length < MAX_KEYS && isStorable(JSON.stringify(key));
    const isKept = isNamed && json.length <= MAX_VALUE_LENGTH;
    // Null marks a value that is in the body and replaces an earlier one in the row.
    if (isNamed) kept.push([key, isKept ? value : null]);
    const replacesInexact = kind === 'patch' && STAND_IN.test(json);
    if (!isKept || replacesInexact || !isStorable(json) || !(isAllExact || isExact(value)))
      large.push(member(key, value, text, slices?.get('metadata')?.members));
  }
  const rest = Object.entries(others).map(([key, value]) => member(key, value, text, slices));
  if (large.length > 0) rest.push(`"metadata":{${large.join()}}`);
  return {
    metadata: kept.length > 0 ? Object.fromEntries(kept) : undefined,
    rest: rest.length > 0 ? Buffer.from(`{${rest.join()}}`) : undefined,
  };
}

const member = (
  key: string,
  value: unknown,
  text: Buffer,
  slices: Map<string, Slice> | undefined,
): string => {
  const slice = slices?.get(key);
  return `${JSON.stringify(key)}:${slice ? text.toString('utf8', slice.start, slice.end) : JSON.stringify(value)}`;
};

/** Reverses splitExtra. */
export function joinExtra(metadata: JsonObject | null, rest: unknown): JsonObject {
  const others = isObject(rest) ? rest : {};
  const large = Object.entries(isObject(others['metadata']) ? others['metadata'] : {});
  const current = large.filter(([key, value]) => isCurrent(metadata, key, value));
  return { ...others, metadata: { ...metadata, ...Object.fromEntries(current) } };
}

/** Whether the row's value comes from this body value rather than a later one. */
function isCurrent(metadata: JsonObject | null, key: string, value: unknown): boolean {
  if (!metadata || !Object.hasOwn(metadata, key) || metadata[key] === null) return true;
  return isDeepStrictEqual(JSON.parse(storableJson(value)), metadata[key]);
}

/** Like joinExtra, but on JSON text, which preserves number precision. */
export function joinExtraText(metadata: JsonObject | null, rest: string): string {
  const text = Buffer.from(rest);
  const slices = sliceJson(text, 2).members ?? new Map<string, Slice>();
  const large = new Map(
    [...(slices.get('metadata')?.members ?? [])].filter(([key, { start, end }]) =>
      isCurrent(metadata, key, JSON.parse(text.toString('utf8', start, end))),
    ),
  );
  const kept = Object.entries({ ...metadata })
    .filter(([key]) => !large.has(key))
    .map(([key, value]) => member(key, value, text, undefined));
  const membersOf = (some: Map<string, Slice>) =>
    [...some.keys()]
      .filter((key) => some !== slices || key !== 'metadata')
      .map((key) => member(key, null, text, some));
  return `{${[...membersOf(slices), `"metadata":{${[...kept, ...membersOf(large)].join()}}`].join()}}`;
}
