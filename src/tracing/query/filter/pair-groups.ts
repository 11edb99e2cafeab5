import type { Condition, PairTest } from './condition.ts';

export type PairFamily = 'metadata' | 'feedback' | 'inputs' | 'outputs';

/** A test on one part of a pair, before it is combined with others. */
export interface LoosePairTest extends PairTest {
  family: PairFamily;
}

/**
 * Combines tests within one `and` that refer to the same pair (contract §1.11, correlation). Another key starts a new
 * pair.
 */
export function correlate(loose: LoosePairTest[]): Condition[] {
  const groups: LoosePairTest[][] = [];
  const open = new Map<PairFamily, LoosePairTest[]>();
  for (const test of loose) {
    let group = open.get(test.family);
    if (!group || (test.part === 'key' && group.some(({ part }) => part === 'key'))) {
      group = [];
      groups.push(group);
      open.set(test.family, group);
    }
    group.push(test);
  }
  return groups.map(pairCondition);
}

/** Negative tests alone mean that no such pair exists; combined with positive ones they narrow the pair. */
function pairCondition(group: LoosePairTest[]): Condition {
  const { family } = group[0]!;
  const negative = group.every(({ negated }) => negated);
  const tests = group.map(({ part, test, negated }) => ({ part, test, negated: negated && !negative }));
  const found: Condition =
    family === 'inputs' || family === 'outputs'
      ? { body: { pairs: tests, body: family } }
      : { pairs: tests, of: family };
  return negative ? { not: found } : found;
}
