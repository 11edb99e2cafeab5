import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const objectsOf = (value: unknown): JsonObject[] => listOf(value).filter(isObject);

/** The first string among the values. */
export function textOf(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string');
}

/** Drops undefined and null members. Undefined if nothing is left. */
export function compact(object: JsonObject): JsonObject | undefined {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** `{ [key]: value }`, or an empty object without a value. */
export const given = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<Key, NonNullable<Value>>>;

/** The unused keys of a block, for the item's extras. Stream positions are dropped. */
export function restOf(block: JsonObject, ...used: string[]): JsonObject | undefined {
  const rest: JsonObject = { ...objectOf(block['extras']) };
  for (const [key, value] of Object.entries(block))
    if (key !== 'type' && key !== 'extras' && key !== 'index' && !used.includes(key)) rest[key] = value;
  return compact(rest);
}

export const jsonText = (value: unknown): string => JSON.stringify(value) ?? 'null';
