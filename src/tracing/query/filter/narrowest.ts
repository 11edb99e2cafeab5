import { filterBitsOf } from '../../bodies/word-filter.ts';
import type { BodyTest, Condition } from './condition.ts';

/** A word long enough to be ruled out by word filters of bodies or rows. */
export type Narrow = { bits: number[]; body: BodyTest } | { bits: number[]; body: undefined };

/**
 * The most selective words of which every matching run has at least one. Undefined if a run may match without any.
 */
export function narrowest(condition: Condition | undefined): Narrow[] | undefined {
  if (!condition) return undefined;
  if ('all' in condition)
    return condition.all
      .map(narrowest)
      .reduce((best, part) => (!best || (part && leastOf(part) > leastOf(best)) ? part : best), undefined);
  if ('any' in condition) {
    const parts = condition.any.map(narrowest);
    return parts.length > 0 && parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  }
  const narrow: Narrow | undefined =
    'body' in condition && 'word' in condition.body
      ? { bits: filterBitsOf(condition.body.word, 'bodies'), body: condition.body }
      : 'columns' in condition
        ? { bits: filterBitsOf(condition.word, 'rows'), body: undefined }
        : undefined;
  return narrow && narrow.bits.length > 0 ? [narrow] : undefined;
}

const leastOf = (parts: Narrow[]): number => Math.min(...parts.map(({ bits }) => bits.length));
