import { gramsOf } from '../../bodies/grams.ts';
import type { BodyTest, Condition } from './condition.ts';

/** A word that has enough letters in a row to be known to be nowhere: in bodies, or in what rows say themselves. */
export type Narrow = { grams: number[]; body: BodyTest } | { grams: number[]; body: undefined };

/** Of which each run that passes has one at least: those that say most. Undefined where it may pass without any. */
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
      ? { grams: gramsOf(condition.body.word, 'bodies'), body: condition.body }
      : 'columns' in condition
        ? { grams: gramsOf(condition.word, 'rows'), body: undefined }
        : undefined;
  return narrow && narrow.grams.length > 0 ? [narrow] : undefined;
}

const leastOf = (parts: Narrow[]): number => Math.min(...parts.map(({ grams }) => grams.length));
