import { add, type Decimal, times, ZERO } from './decimal.ts';
import type { Rates } from './price.ts';
import type { Counts, StatedCosts, TokenUsage } from './token-usage.ts';

/** Dollars. Undefined means unknown, as opposed to zero. */
export interface Costs {
  prompt_cost: Decimal | undefined;
  completion_cost: Decimal | undefined;
  total_cost: Decimal | undefined;
  prompt_cost_details: Record<string, Decimal>;
  completion_cost_details: Record<string, Decimal>;
  /** Whether the details exceeded the count, so that the excess is not charged. */
  isClamped: boolean;
}

interface Side {
  cost: Decimal | undefined;
  details: Record<string, Decimal>;
  isClamped: boolean;
}

/** Client-stated costs win; the others are computed if a price is known. */
export function costsOf(
  tokens: TokenUsage | undefined,
  rates: Rates | undefined,
  stated: StatedCosts | undefined,
): Costs {
  const prompt = sideOf(
    tokens?.input_tokens,
    tokens?.input_token_details,
    rates && { base: rates.prompt, details: rates.prompt_details },
  );
  const completion = sideOf(
    tokens?.output_tokens,
    tokens?.output_token_details,
    rates && { base: rates.completion, details: rates.completion_details },
  );
  if (!stated)
    return {
      prompt_cost: prompt.cost,
      completion_cost: completion.cost,
      total_cost: tokens && totalOf(tokens, prompt, completion),
      prompt_cost_details: prompt.details,
      completion_cost_details: completion.details,
      isClamped: prompt.isClamped || completion.isClamped,
    };
  // A stated total says nothing about its parts.
  const isTotalAlone = !stated.input_cost && !stated.output_cost;
  const prompt_cost = stated.input_cost ?? (isTotalAlone ? undefined : prompt.cost);
  const completion_cost = stated.output_cost ?? (isTotalAlone ? undefined : completion.cost);
  return {
    prompt_cost,
    completion_cost,
    total_cost: stated.total_cost ?? add(prompt_cost ?? ZERO, completion_cost ?? ZERO),
    prompt_cost_details: stated.input_cost_details,
    completion_cost_details: stated.output_cost_details,
    isClamped: false,
  };
}

/** Known if the cost of every side with tokens is known. */
function totalOf(tokens: TokenUsage, prompt: Side, completion: Side): Decimal | undefined {
  const sides = [
    [tokens.input_tokens, prompt.cost],
    [tokens.output_tokens, completion.cost],
  ] as const;
  if (sides.every(([count]) => count === undefined)) return undefined;
  if (sides.some(([count, cost]) => count !== undefined && !cost)) return undefined;
  return add(prompt.cost ?? ZERO, completion.cost ?? ZERO);
}

/** Charges each detail at its own rate and the remainder at the base rate (contract §2.3). */
function sideOf(
  count: number | undefined,
  details: Counts = {},
  rates: { base: Decimal | undefined; details: Record<string, Decimal> } | undefined,
): Side {
  // Unpriced tokens have unknown cost; zero tokens cost zero.
  const base = count === 0 ? (rates?.base ?? (rates && ZERO)) : rates?.base;
  if (count === undefined || !rates || !base) return { cost: undefined, details: {}, isClamped: false };
  let [cost, rest, isClamped] = [ZERO, count, false];
  const costs: Record<string, Decimal> = {};
  for (const [key, tokens] of Object.entries(apart(details))) {
    const rate = rateOf(key, rates.details);
    if (!rate || tokens === 0) continue;
    const paid = Math.min(tokens, rest);
    isClamped ||= paid < tokens;
    rest -= paid;
    costs[key] = times(rate, paid);
    cost = add(cost, costs[key]);
  }
  return { cost: add(cost, times(base, rest)), details: costs, isClamped };
}

const TIER = /^(?:flex|priority|batch)_/;

/** A tier without its own rate is charged like the same detail outside the tier. */
const rateOf = (key: string, rates: Record<string, Decimal>): Decimal | undefined =>
  own(rates, key) ?? own(rates, key.replace(TIER, '')) ?? own(rates, key.replace(TIER, '').replace(OVER, ''));

const OVER = /_over_\d+k$/;
const own = (rates: Record<string, Decimal>, key: string): Decimal | undefined =>
  Object.hasOwn(rates, key) ? rates[key] : undefined;

/** Cache writes are reported both as a sum and by lifetime; counts them once. */
function apart(details: Counts): Counts {
  const { cache_creation, ...others } = details;
  if (cache_creation === undefined) return details;
  const byLifetime = (others['ephemeral_5m_input_tokens'] ?? 0) + (others['ephemeral_1h_input_tokens'] ?? 0);
  return { ...others, cache_creation: Math.max(0, cache_creation - byLifetime) };
}
