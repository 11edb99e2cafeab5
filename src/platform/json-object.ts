import type { JsonObject } from './schema.ts';

/** False for arrays. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
