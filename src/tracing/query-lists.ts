import type { Context } from 'koa';
import { Type } from 'typebox';
import { storableText } from '../platform/storable-text.ts';

/** Which part of the rows a list answers with. */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
};

/** A repeated key of the query string, in which a comma is a comma; undefined when it is not there. */
export function givenTexts(ctx: Context, key: string): string[] | undefined {
  const given = new URLSearchParams(ctx.querystring).getAll(key).map(storableText);
  return given.length > 0 ? given : undefined;
}
