import { Type } from 'typebox';

/** Parts of events, as far as they are read; hosts send much more. */
export const Sha = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });
export const Paths = Type.Optional(Type.Array(Type.String()));
export const MaybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
export const Count = Type.Integer({ minimum: 1, maximum: 2_000_000_000 });
export const Commit = Type.Object({
  id: Type.Optional(Type.String()),
  message: MaybeText,
  added: Paths,
  modified: Paths,
  removed: Paths,
});

/** The addresses among several fields of which each may be missing. */
export const addressesIn = (...fields: (string | null | undefined)[]): string[] =>
  fields.filter((field): field is string => typeof field === 'string' && field !== '');
