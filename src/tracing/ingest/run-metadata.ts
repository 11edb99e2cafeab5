import type { JsonObject } from '../../platform/schema.ts';

// What a row keeps of metadata, to be searched; the rest is in the body.
const MOST_KEYS = 200;
const LONGEST_VALUE = 4_000;

export interface SplitExtra {
  metadata: JsonObject | undefined;
  /** JSON text of everything else; undefined when there is nothing. */
  rest: Buffer | undefined;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parts `extra` into the metadata that are kept with the row, and all that is only read. */
export function splitExtra(extra: unknown): SplitExtra {
  if (!isObject(extra)) return { metadata: undefined, rest: undefined };
  const { metadata, ...others } = extra;
  const kept: JsonObject = {};
  const large: JsonObject = {};
  for (const [key, value] of Object.entries(isObject(metadata) ? metadata : {})) {
    const fits = JSON.stringify(value).length <= LONGEST_VALUE && Object.keys(kept).length < MOST_KEYS;
    (fits ? kept : large)[key] = value;
  }
  const rest = { ...others, ...(Object.keys(large).length > 0 && { metadata: large }) };
  return {
    metadata: Object.keys(kept).length > 0 ? kept : undefined,
    rest: Object.keys(rest).length > 0 ? Buffer.from(JSON.stringify(rest)) : undefined,
  };
}

/** Puts together what splitExtra parted. */
export function joinExtra(metadata: JsonObject | null, rest: unknown): JsonObject {
  const others = isObject(rest) ? rest : {};
  const large = isObject(others['metadata']) ? others['metadata'] : {};
  return { ...others, metadata: { ...metadata, ...large } };
}
