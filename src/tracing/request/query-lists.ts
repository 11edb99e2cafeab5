import type { Context } from 'koa';
import { Type } from 'typebox';
import { InvalidRequest } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/schema.ts';
import { storableText } from '../../platform/storable-text.ts';

/** Offset pagination. */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
};

/** All values of a repeated query parameter, whose commas are literal; undefined if missing. */
export function givenTexts(ctx: Context, key: string): string[] | undefined {
  const given = new URLSearchParams(ctx.querystring).getAll(key).map(storableText);
  return given.length > 0 ? given : undefined;
}

/** Parses a JSON object in a query parameter; undefined if missing. Throws InvalidRequest. */
export function readMetadata(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject;
  } catch {}
  throw new InvalidRequest('query.metadata must be a JSON object');
}
