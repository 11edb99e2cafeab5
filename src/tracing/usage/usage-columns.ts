import type { JsonObject } from '../../platform/schema.ts';
import { costsOf } from './cost-of-tokens.ts';
import { type Decimal, writeDecimal } from './decimal.ts';
import { modelOf, type ModelOfRun, writeModel } from './model-of-run.ts';
import { writePrice } from './price.ts';
import type { TenantPrices } from './prices.ts';
import type { StatedCosts, TokenUsage } from './token-usage.ts';
import { isModelCall, type RunContents, usageOf } from './usage-sources.ts';

/** Usage and cost columns of a run. Costs are decimal text; unknown values are missing. */
export interface UsageColumns {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_cost?: string;
  completion_cost?: string;
  total_cost?: string;
  usage?: JsonObject;
}

/** Usage reported by a run and its cost; undefined if it reports none. */
export function usageColumns(run: RunContents, time: Date, prices: TenantPrices): UsageColumns | undefined {
  const { tokens, costs } = usageOf(run);
  if (!tokens && !costs) return undefined;
  return priced({ tokens, costs, model: isModelCall(run.run_type) ? modelOf(run) : NO_MODEL, time, prices });
}

const NO_MODEL: ModelOfRun = { provider: undefined, names: [] };

interface Used {
  tokens: TokenUsage | undefined;
  costs?: StatedCosts | undefined;
  model: ModelOfRun;
  time: Date;
  prices: TenantPrices;
  isEstimate?: boolean;
}

/** Columns for known tokens at the model's price. */
export function priced({ tokens, costs: stated, model, time, prices, isEstimate }: Used): UsageColumns {
  const price = tokens && prices.find(model, time, tokens.input_tokens ?? 0);
  const costs = costsOf(tokens, price?.rates, stated);
  return withoutUndefined({
    prompt_tokens: tokens?.input_tokens,
    completion_tokens: tokens?.output_tokens,
    total_tokens: tokens?.total_tokens,
    prompt_cost: text(costs.prompt_cost),
    completion_cost: text(costs.completion_cost),
    total_cost: text(costs.total_cost),
    usage: withoutUndefined({
      ...writeModel(model),
      ...(price && !stated && writePrice(price)),
      prompt_token_details: nonEmpty(tokens?.input_token_details),
      completion_token_details: nonEmpty(tokens?.output_token_details),
      prompt_cost_details: nonEmpty(texts(costs.prompt_cost_details)),
      completion_cost_details: nonEmpty(texts(costs.completion_cost_details)),
      // Client-stated costs are never recomputed.
      costs_stated: stated && true,
      estimated: isEstimate || undefined,
      details_exceed_total: costs.isClamped || undefined,
    }),
  });
}

const text = (cost: Decimal | undefined) => cost && writeDecimal(cost);
const texts = (costs: Record<string, Decimal>) =>
  Object.fromEntries(Object.entries(costs).map(([key, cost]) => [key, writeDecimal(cost)]));
const nonEmpty = <Map extends object>(map: Map | undefined): Map | undefined =>
  map && Object.keys(map).length > 0 ? map : undefined;

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };
const withoutUndefined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
