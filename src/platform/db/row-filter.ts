import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../schema.ts';

/** Which rows may be reached, over a row's metadata: every condition must hold. */
export interface RowFilter {
  all: RowCondition[];
}

export type RowCondition =
  | { key: string; equals: unknown }
  /** The value is a list that holds all of these, compared as text. */
  | { key: string; contains: string[] }
  | { any: RowFilter[] };

/** What `Where.andPasses` asks of Postgres, asked of a row in memory; every row passes where there is no filter. */
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
