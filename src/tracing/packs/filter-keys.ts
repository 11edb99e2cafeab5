import type { Condition, PairTest, Test } from '../query/filter/condition.ts';
import { flatPairs } from '../query/filter/flat-pairs.ts';
import { ANY_VALUE, LONGEST_KEY } from './pack-sql.ts';

// Spelled in many ways, and the same number.
const NUMBER = /^[-+.\d]/;
// By the column that a field is.
const KINDS: Record<string, string> = {
  'r.name': 'name',
  'r.run_type': 'type',
  'r.status': 'status',
  'r.thread_id': 'thread',
};

/**
 * What runs say that pass: of each list one at least, as the keys of packs have it. A filter that cannot be told by such
 * keys has none.
 */
export function filterKeys(condition: Condition | undefined): string[][] {
  if (!condition) return [];
  if ('all' in condition) return condition.all.flatMap(filterKeys);
  if ('any' in condition) {
    // One of the lists of each part will do.
    const parts = condition.any.map(filterKeys);
    return parts.length > 0 && parts.every((lists) => lists.length > 0)
      ? [parts.flatMap((lists) => lists[0]!)]
      : [];
  }
  if ('field' in condition) {
    const kind = KINDS[condition.field.sql('r')];
    const values = kind && valuesOf(condition.test);
    return values ? [keysOf(kind, values)] : [];
  }
  if ('tags' in condition) {
    const { tags, match } = condition;
    if (match === 'all') return tags.map((tag) => keysOf('tag', [tag]));
    return tags.length > 0 ? [keysOf('tag', tags)] : [];
  }
  if ('metadata' in condition)
    return flatPairs(condition.metadata)
      .filter(([, value]) => typeof value === 'string' && isTold(value))
      .map(([key, value]) => keysOf('metadata', [`${key}=${String(value)}`]));
  return 'pairs' in condition && condition.of === 'metadata' ? pairKeys(condition.pairs) : [];
}

/** Of any of these values, or of packs that do not tell them apart. */
const keysOf = (kind: string, values: string[]): string[] =>
  [...values, ANY_VALUE].map((value) => `${kind}:${value}`);

const isTold = (value: string): boolean => value.length <= LONGEST_KEY / 4 && !NUMBER.test(value);

/** Of "this key has this value". */
function pairKeys(tests: PairTest[]): string[][] {
  const listOf = (part: string): string[] | undefined => {
    const found = tests.find((test) => test.part === part && !test.negated);
    return found && valuesOf(found.test);
  };
  const [keys, values] = [listOf('key'), listOf('value')];
  if (!keys || !values?.every(isTold)) return [];
  const pairs = keys.flatMap((key) => values.map((value) => `${key}=${value}`));
  return [keysOf('metadata', pairs)];
}

function valuesOf(test: Test): string[] | undefined {
  if (test.op === 'eq') return [String(test.value)];
  return test.op === 'in' ? test.values.map(String) : undefined;
}
