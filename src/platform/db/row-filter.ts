/** Which rows may be reached, over a row's metadata: every condition must hold. */
export interface RowFilter {
  all: RowCondition[];
}

export type RowCondition =
  | { key: string; equals: unknown }
  /** The value is a list that holds all of these, compared as text. */
  | { key: string; contains: string[] }
  | { any: RowFilter[] };
