import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../schema.ts';

/** Conditions on a row's metadata, all of which must hold. */
export interface RowFilter {
  all: RowCondition[];
}

export type RowCondition =
  | { key: string; equals: unknown }
  /** The value is a list that contains all of these, compared as text. */
  | { key: string; contains: string[] }
  | { any: RowFilter[] };

/** In-memory equivalent of `Where.andPasses`. Every row passes without a filter. */
export const passesFilter = (row: JsonObject, { all }: RowFilter = { all: [] }): boolean =>
  all.every((condition) => {
    if ('any' in condition) return condition.any.some((filter) => passesFilter(row, filter));
    const value = Object.hasOwn(row, condition.key) ? row[condition.key] : undefined;
    if ('equals' in condition) return isDeepStrictEqual(value, asJson(condition.equals));
    if (!Array.isArray(value)) return false;
    const texts = new Set(value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))));
    return condition.contains.every((text) => texts.has(text));
  });

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
