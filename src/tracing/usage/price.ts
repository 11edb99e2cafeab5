import type { JsonObject } from '../../platform/schema.ts';
import { type Decimal, writeDecimal } from './decimal.ts';

/** Dollars per token. Details without a rate of their own are paid for at that of their side. */
export interface Rates {
  prompt: Decimal | undefined;
  completion: Decimal | undefined;
  prompt_details: Record<string, Decimal>;
  completion_details: Record<string, Decimal>;
}

/** A price of a model, as it is kept with every run that was paid for at it. */
export interface Price {
  /** Of a row of the tenant's own table; undefined for one of the library. */
  id: string | undefined;
  /** `provider:model` of the library, or the name of the row. */
  name: string;
  rates: Rates;
}

const written = new WeakMap<Price, JsonObject>();

/** The price and its rates, as JSON; the same object every time. */
export function writePrice(price: Price): JsonObject {
  let json = written.get(price);
  if (!json) written.set(price, (json = toJson(price)));
  return json;
}

function toJson({ id, name, rates }: Price): JsonObject {
  const texts = (map: Record<string, Decimal>) =>
    Object.fromEntries(Object.entries(map).map(([key, rate]) => [key, writeDecimal(rate)]));
  return {
    ...(id && { price_model_id: id }),
    price: name,
    rates: {
      ...(rates.prompt && { prompt: writeDecimal(rates.prompt) }),
      ...(rates.completion && { completion: writeDecimal(rates.completion) }),
      ...(Object.keys(rates.prompt_details).length > 0 && { prompt_details: texts(rates.prompt_details) }),
      ...(Object.keys(rates.completion_details).length > 0 && {
        completion_details: texts(rates.completion_details),
      }),
    },
  };
}
