import type { JsonObject } from '../../platform/schema.ts';
import { type Decimal, writeDecimal } from './decimal.ts';

/** Dollars per token. Details without their own rate use the base rate of their side. */
export interface Rates {
  prompt: Decimal | undefined;
  completion: Decimal | undefined;
  prompt_details: Record<string, Decimal>;
  completion_details: Record<string, Decimal>;
}

/** A model price as stored with every run it was applied to. */
export interface Price {
  /** Id in the tenant's table; undefined for library prices. */
  id: string | undefined;
  /** `provider:model` in the library, or the name in the tenant's table. */
  name: string;
  rates: Rates;
}

const written = new WeakMap<Price, JsonObject>();

/** Serialises the price; cached, so that equal prices share one object. */
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
