import type { RunField } from './run-fields.ts';

/** A comparison with a value, or a null check. */
export type Test =
  | { op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'like'; value: string | number | boolean }
  | { op: 'in'; values: (string | number | boolean)[] }
  | { op: 'there' };

/** A test on pairs such as metadata or feedback: one pair must pass all of `tests`. */
export interface PairTest {
  part: string;
  test: Test;
  negated: boolean;
}

export type BodyName = 'inputs' | 'outputs';

/** A test that requires the run's inputs or outputs. */
export type BodyTest =
  /** In lower case, as in searchedText. */
  { word: string; bodies: BodyName[] } | { pairs: PairTest[]; body: BodyName };

/** A parsed filter (contract §1.11). Unknown counts as false, never as null. */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { field: RunField; test: Test }
  | { tags: string[]; match: 'all' | 'any' }
  | { tag_like: string }
  | { metadata: Record<string, unknown> }
  | { pairs: PairTest[]; of: 'metadata' | 'feedback' }
  /** In lower case; searched in columns of the row. */
  | { word: string; columns: ('name' | 'error' | 'metadata')[] }
  | { body: BodyTest };
