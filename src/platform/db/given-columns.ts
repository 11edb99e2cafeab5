/** The allowed columns for which the row has a value. Bodies may have any keys, so only our own names become SQL. */
export const givenColumns = (row: object, columns: readonly string[]): string[] =>
  columns.filter((column) => Object.hasOwn(row, column));
