import { type TSchema, Type } from 'typebox';
import { Detail } from '../platform/schema.ts';
import { invalidField } from './errors.ts';

/** Query of every list: limit and offset. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
});

/** Answer of every list; send `offset` for the next page. */
export const page = <Item extends TSchema>(item: Item) =>
  Type.Object({ resources: Type.Array(item), offset: Type.Integer() });

const ValidationErrors = Type.Object({
  detail: Type.Array(
    Type.Object({
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      msg: Type.String(),
      type: Type.String(),
    }),
  ),
});

/** Error responses of every operation. */
export const Refusals = { 401: Detail, 403: Detail, 404: Detail, 422: ValidationErrors };

/** Parses a comma-separated list of known words. Throws InvalidFields. */
export function words<const Word extends string>(
  text: string | undefined,
  known: readonly Word[],
  loc: string[],
): Word[] | undefined {
  const given = text
    ?.split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  if (!given?.length) return undefined;
  const strange = given.find((word) => !(known as readonly string[]).includes(word));
  if (strange !== undefined)
    throw invalidField(loc, `'${strange}' is not one of ${known.join(', ')}`, 'enum');
  return given as Word[];
}
