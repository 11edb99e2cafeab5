import { createHash } from 'node:crypto';
import type { JsonObject } from '../../platform/schema.ts';
import { type Slice, sliceJson, textOfSlice } from '../json/json-slices.ts';

const METADATA = 'metadata';

/** Merges extras and their metadata as JSON text. The last value of a key wins. */
export function mergeExtras(texts: Buffer[]): Buffer {
  if (texts.length === 1) return texts[0]!;
  const members = new Map<string, Buffer>();
  const metadata = new Map<string, Buffer>();
  for (const text of texts)
    for (const [key, slice] of membersOf(text)) {
      if (key !== METADATA) members.set(key, textOfSlice(text, slice));
      else for (const [name, inner] of slice.members ?? []) metadata.set(name, textOfSlice(text, inner));
    }
  return Buffer.from(
    objectText([...members, ...(metadata.size > 0 ? [[METADATA, objectText([...metadata])] as const] : [])]),
  );
}

/** Keeps only the wanted members of an object. */
export const filterMembers = (text: Buffer, isWanted: (key: string) => boolean): Buffer =>
  Buffer.from(
    objectText(
      [...membersOf(text)].flatMap(([key, slice]) =>
        isWanted(key) ? [[key, textOfSlice(text, slice)] as const] : [],
      ),
    ),
  );

// Most clients use few sets of keys. The limit guards against generated keys.
const CACHE_SIZE = 1_000;
const hashes = new Map<string, string>();

/** A signed 64-bit hash of the keys of an extra and of its metadata. */
export function hashKeys(text: Buffer): string {
  const { [METADATA]: metadata, ...others } = JSON.parse(text.toString('utf8')) as JsonObject;
  const keys = JSON.stringify([Object.keys(others).sort(), Object.keys(metadata ?? {}).sort()]);
  const known = hashes.get(keys);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(keys).digest().readBigInt64LE().toString();
  if (hashes.size < CACHE_SIZE && keys.length < CACHE_SIZE) hashes.set(keys, hash);
  return hash;
}

const membersOf = (text: Buffer): Map<string, Slice> =>
  sliceJson(text, 2).members ?? new Map<string, Slice>();

const objectText = (members: (readonly [string, Buffer | string])[]): string =>
  `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text.toString('utf8')}`).join()}}`;
