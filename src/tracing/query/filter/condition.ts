import type { RunField } from './run-fields.ts';

/** A comparison with one value, or with none where there is nothing to compare. */
export type Test =
  | { op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'like'; value: string | number | boolean }
  | { op: 'in'; values: (string | number | boolean)[] }
  | { op: 'there' };

/** Of a list of pairs, such as metadata or feedback: the same pair passes all of `tests`. */
export interface PairTest {
  part: string;
  test: Test;
  negated: boolean;
}

export type BodyName = 'inputs' | 'outputs';

/** What can be told of a run only by reading what it was given and what it said. */
export type BodyTest =
  /** In lower case, as it stands in JSON text. */
  { word: string; bodies: BodyName[] } | { pairs: PairTest[]; body: BodyName };

/** What a filter means (contract §1.11). Nothing here is ever null: what is unknown does not pass. */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { field: RunField; test: Test }
  | { tags: string[]; match: 'all' | 'any' }
  | { tag_like: string }
  | { metadata: Record<string, unknown> }
  | { pairs: PairTest[]; of: 'metadata' | 'feedback' }
  /** In lower case; looked for in what the row itself says. */
  | { word: string; columns: ('name' | 'error' | 'metadata')[] }
  | { body: BodyTest };
