import type { JsonObject } from './schema.ts';

/** Not for lists, which are objects to JavaScript. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
