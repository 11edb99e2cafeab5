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

/** A tenant's own prices in order of precedence. */
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

  /** Index of the period that contains a time. Prices are constant within a period. */
  periodOf(time: Date): number {
    return this.#entries.filter(({ startMs }) => startMs <= time.getTime()).length;
  }

  /** The first price that matches provider, model and time. */
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
