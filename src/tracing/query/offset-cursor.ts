import { InvalidCursor } from './page-cursor.ts';

/** A cursor for lists that do not change between pages, such as the examples of a version. */
export const writeOffset = (offset: number): string => Buffer.from(`at ${offset}`).toString('base64url');

/** Throws InvalidCursor. */
export function readOffset(cursor: string): number {
  const [, digits] = /^at (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digits === undefined) throw new InvalidCursor();
  return Number(digits);
}
