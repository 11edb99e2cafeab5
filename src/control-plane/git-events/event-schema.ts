import { Type } from 'typebox';

/** The parts of events we read; hosts send much more. */
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

/** Addresses from fields that may each be missing. */
export const addressesIn = (...fields: (string | null | undefined)[]): string[] =>
  fields.filter((field): field is string => typeof field === 'string' && field !== '');
