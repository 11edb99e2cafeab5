import { searchedText } from '../../bodies/searched-text.ts';
import type { BodyName, BodyTest, PairTest, Test } from './condition.ts';
import { flatPairs } from './flat-pairs.ts';
import { isLike } from './is-like.ts';

/** JSON text of a run's bodies; undefined if missing. */
export type BodyTexts = Record<BodyName, string | undefined>;

/** Runs tests on a run's bodies, caching what it parses. */
export class RunBodies {
  readonly #texts: BodyTexts;
  readonly #searched: Partial<Record<BodyName, string>> = {};
  readonly #pairs: Partial<Record<BodyName, [string, string][]>> = {};

  constructor(texts: BodyTexts) {
    this.#texts = texts;
  }

  passes(test: BodyTest): boolean {
    if ('word' in test) return test.bodies.some((body) => this.#searchedText(body).includes(test.word));
    return this.#pairsOf(test.body).some(([key, value]) =>
      test.pairs.every((pair) => passesPair(pair, pair.part === 'key' ? key : value)),
    );
  }

  #searchedText(body: BodyName): string {
    return (this.#searched[body] ??= searchedText(this.#texts[body] ?? ''));
  }

  #pairsOf(body: BodyName): [string, string][] {
    return (this.#pairs[body] ??= flatPairs(JSON.parse(this.#texts[body] ?? 'null')).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]));
  }
}

const passesPair = ({ test, negated }: PairTest, actual: string): boolean =>
  passesTest(test, actual) !== negated;

function passesTest(test: Test, actual: string): boolean {
  if (test.op === 'there') return actual !== 'null';
  if (test.op === 'in') return test.values.some((value) => String(value) === actual);
  if (test.op === 'eq') return String(test.value) === actual;
  if (test.op === 'like') return isLike(actual, String(test.value));
  const { value } = test;
  const number = Number(actual);
  if (typeof value === 'number' && (actual.trim() === '' || Number.isNaN(number))) return false;
  const order =
    typeof value === 'number' ? number - value : actual < String(value) ? -1 : Number(actual > String(value));
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[test.op];
}
