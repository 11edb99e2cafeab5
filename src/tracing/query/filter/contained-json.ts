import type { JsonObject } from '../../../platform/schema.ts';
import { storableText } from '../../../platform/storable-text.ts';
import type { Scalar } from './filter-expression.ts';
import { flatPairs } from './flat-pairs.ts';
import { InvalidFilter } from './invalid-filter.ts';

const MAX_DEPTH = 50;

export interface Contained {
  object: JsonObject;
  /** Scalars by dotted key. */
  pairs: [string, string | number | boolean][];
}

/**
 * Parses the JSON object in a text such as `has(metadata, '{"a": "b"}')`, with JSON's escapes or those of the filter.
 * Undefined if it is not an object.
 */
export function readContained(
  { value, raw }: { value: Scalar; raw?: string },
  at: number,
): Contained | undefined {
  const parsed = parse(String(value)) ?? (raw === undefined ? undefined : parse(raw));
  if (!parsed) return undefined;
  const object = storable(parsed, 1, at) as JsonObject;
  const pairs = flatPairs(object).filter(([, item]) => typeof item !== 'object');
  return { object, pairs: pairs as Contained['pairs'] };
}

function parse(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

function storable(value: unknown, depth: number, at: number): unknown {
  if (depth > MAX_DEPTH) throw new InvalidFilter(`the object is nested deeper than ${MAX_DEPTH} levels`, at);
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1, at));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storable(item, depth + 1, at)]),
  );
}
