import type { JsonObject } from '../../platform/schema.ts';
import { storableText } from '../../platform/storable-text.ts';
import { isObject } from '../../platform/json-object.ts';
import { type Decimal, readDecimal } from './decimal.ts';

export type Counts = Record<string, number>;

/**
 * Usage of one model call (contract §2.3). `input_tokens` includes cache reads and writes, `output_tokens` includes
 * reasoning. Details are parts of these counts.
 */
export interface TokenUsage {
  input_tokens: number | undefined;
  output_tokens: number | undefined;
  total_tokens: number | undefined;
  input_token_details: Counts;
  output_token_details: Counts;
}

/** Costs in dollars stated by the client. */
export interface StatedCosts {
  input_cost: Decimal | undefined;
  output_cost: Decimal | undefined;
  total_cost: Decimal | undefined;
  input_cost_details: Record<string, Decimal>;
  output_cost_details: Record<string, Decimal>;
}

// More details than any provider reports.
const MAX_DETAILS = 50;
const MAX_KEY_LENGTH = 100;

/** Parses a non-negative integer; undefined for anything else. */
export function readCount(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof count !== 'number' || !(count >= 0) || count > Number.MAX_SAFE_INTEGER) return undefined;
  return Math.round(count);
}

/** Sum of the known counts; undefined if none is known. */
export function sumOf(...counts: (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length > 0 ? known.reduce((sum, count) => sum + count, 0) : undefined;
}

/** Named counts without zeros and invalid values. */
export function readCounts(map: unknown): Counts {
  const counts: Counts = {};
  for (const [key, value] of entriesOf(map)) {
    const count = readCount(value);
    // The SDKs differ: `1hr` and `1h`.
    if (count) counts[key.replace('ephemeral_1hr_', 'ephemeral_1h_')] = count;
  }
  return counts;
}

export function readStatedCosts(usage: JsonObject): StatedCosts | undefined {
  const [input_cost, output_cost, total_cost] = ['input_cost', 'output_cost', 'total_cost'].map((key) =>
    readMoney(usage[key]),
  );
  if (!input_cost && !output_cost && !total_cost) return undefined;
  return {
    input_cost,
    output_cost,
    total_cost,
    input_cost_details: readMoneyMap(usage['input_cost_details']),
    output_cost_details: readMoneyMap(usage['output_cost_details']),
  };
}

export function readMoneyMap(map: unknown): Record<string, Decimal> {
  const costs: Record<string, Decimal> = {};
  for (const [key, value] of entriesOf(map)) {
    const cost = readMoney(value);
    if (cost) costs[key.replace('ephemeral_1hr_', 'ephemeral_1h_')] = cost;
  }
  return costs;
}

function readMoney(value: unknown): Decimal | undefined {
  const cost = readDecimal(value);
  return cost && cost.digits >= 0n ? cost : undefined;
}

const entriesOf = (map: unknown): [string, unknown][] =>
  isObject(map)
    ? Object.entries(map)
        .slice(0, MAX_DETAILS)
        .filter(([key]) => key.length <= MAX_KEY_LENGTH && key !== '__proto__')
        .map(([key, value]) => [storableText(key), value])
    : [];
