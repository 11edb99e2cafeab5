import type { RE2JS } from 're2js';
import { ZERO, readDecimal } from './decimal.ts';
import type { ModelOfRun } from './model-of-run.ts';
import type { Price } from './price.ts';
import { readPattern } from './price-pattern.ts';
import type { ModelPrice } from './price-repository.ts';
import { readMoneyMap } from './token-usage.ts';

interface Entry {
  row: ModelPrice;
  pattern: RE2JS;
  startMs: number;
  price: Price;
}

/** A tenant's own prices, in the order they are tried in. */
export class OwnPrices {
  readonly #entries: Entry[];

  constructor(rows: ModelPrice[]) {
    this.#entries = rows.map((row) => ({
      row,
      pattern: readPattern(row.match_pattern),
      startMs: row.start_time === null ? -Infinity : Date.parse(row.start_time),
      price: priceOf(row),
    }));
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Times of one period have the same prices: how many have begun by then. */
  periodOf(time: Date): number {
    return this.#entries.filter(({ startMs }) => startMs <= time.getTime()).length;
  }

  /** The first that names the provider and the model of the run and holds at this time. */
  find({ names, provider }: ModelOfRun, time: Date): Price | undefined {
    return this.#entries.find(
      ({ row, pattern, startMs }) =>
        startMs <= time.getTime() &&
        (row.provider === null || row.provider.toLowerCase() === provider?.toLowerCase()) &&
        names.some(
          ({ key, name }) =>
            (key === undefined || row.match_path.includes(key)) && pattern.matcher(name).find(),
        ),
    )?.price;
  }
}

const priceOf = (row: ModelPrice): Price => ({
  id: row.id,
  name: row.name,
  rates: {
    prompt: readDecimal(row.prompt_cost) ?? ZERO,
    completion: readDecimal(row.completion_cost) ?? ZERO,
    prompt_details: readMoneyMap(row.prompt_cost_details),
    completion_details: readMoneyMap(row.completion_cost_details),
  },
});
