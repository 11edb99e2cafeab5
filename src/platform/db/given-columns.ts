/**
 * The columns that a row has a value for, of those there are. A body may have any keys: the names that become SQL are
 * ours, and never a caller's.
 */
export const givenColumns = (row: object, columns: readonly string[]): string[] =>
  columns.filter((column) => Object.hasOwn(row, column));
