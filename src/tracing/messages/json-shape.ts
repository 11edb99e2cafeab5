import type { JsonObject } from '../../platform/schema.ts';
import { isObject } from '../../platform/json-object.ts';

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const objectsOf = (value: unknown): JsonObject[] => listOf(value).filter(isObject);

/** The first of these that is text. */
export function textOf(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string');
}

/** Without what is undefined; undefined when nothing is left. */
export function compact(object: JsonObject): JsonObject | undefined {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** `{ [key]: value }`, or nothing where there is no value. */
export const given = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<Key, NonNullable<Value>>>;

/** Whatever a block says beyond these keys, for its item's extras. Positions in a stream say nothing. */
export function restOf(block: JsonObject, ...used: string[]): JsonObject | undefined {
  const rest: JsonObject = { ...objectOf(block['extras']) };
  for (const [key, value] of Object.entries(block))
    if (key !== 'type' && key !== 'extras' && key !== 'index' && !used.includes(key)) rest[key] = value;
  return compact(rest);
}

/** JSON text of anything. */
export const jsonText = (value: unknown): string => JSON.stringify(value) ?? 'null';
