import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { costsOf } from '../../../src/tracing/usage/cost-of-tokens.ts';
import { add, readDecimal, times, writeDecimal, ZERO } from '../../../src/tracing/usage/decimal.ts';
import { readTokenUsage } from '../../../src/tracing/usage/provider-usage.ts';

const money = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((digits) => ({ digits, scale: 12 }));
const counts = fc.integer({ min: 0, max: 10_000_000 });
const KEYS = [
  'cache_read',
  'cache_creation',
  'ephemeral_5m_input_tokens',
  'ephemeral_1h_input_tokens',
  'audio',
  'flex_cache_read',
];
const details = fc.dictionary(fc.constantFrom(...KEYS), counts);
const rates = fc.record({
  prompt: fc.option(money, { nil: undefined }),
  completion: fc.option(money, { nil: undefined }),
  prompt_details: fc.dictionary(fc.constantFrom(...KEYS), money),
  completion_details: fc.dictionary(fc.constantFrom(...KEYS), money),
});
const tokens = fc.record({
  input_tokens: fc.option(counts, { nil: undefined }),
  output_tokens: fc.option(counts, { nil: undefined }),
  total_tokens: counts,
  input_token_details: details,
  output_token_details: details,
});

const valueOf = (text: string) => Number(text);
const worth = (cost: { digits: bigint; scale: number } | undefined) => cost && valueOf(writeDecimal(cost));

test('a cost is never negative, its details never exceed it, and the total is the sum of its sides', () => {
  fc.assert(
    fc.property(tokens, rates, (used, paid) => {
      const costs = costsOf(used, paid, undefined);
      for (const [cost, parts] of [
        [costs.prompt_cost, costs.prompt_cost_details],
        [costs.completion_cost, costs.completion_cost_details],
      ] as const) {
        const sum = Object.values(parts).reduce(add, ZERO);
        expect(sum.digits >= 0n).toBe(true);
        if (cost) expect(add(cost, times(sum, -1)).digits >= 0n).toBe(true);
        else expect(parts).toEqual({});
      }
      const { prompt_cost, completion_cost, total_cost } = costs;
      if (total_cost)
        expect(writeDecimal(total_cost)).toBe(
          writeDecimal(add(prompt_cost ?? ZERO, completion_cost ?? ZERO)),
        );
    }),
  );
});

test('with a single rate, cost does not depend on how tokens are split', () => {
  fc.assert(
    fc.property(tokens, money, (used, rate) => {
      const same = Object.fromEntries(KEYS.map((key) => [key, rate]));
      const paid = { prompt: rate, completion: rate, prompt_details: same, completion_details: same };
      const { prompt_cost } = costsOf(used, paid, undefined);
      if (used.input_tokens === undefined) expect(prompt_cost).toBeUndefined();
      else expect(writeDecimal(prompt_cost!)).toBe(writeDecimal(times(rate, used.input_tokens)));
    }),
  );
});

test('without a price the cost is unknown; without tokens it is zero', () => {
  const used = {
    input_tokens: 5,
    output_tokens: 0,
    total_tokens: 5,
    input_token_details: {},
    output_token_details: {},
  };
  expect(costsOf(used, undefined, undefined).total_cost).toBeUndefined();
  const inputOnly = {
    prompt: readDecimal('0.1'),
    completion: undefined,
    prompt_details: {},
    completion_details: {},
  };
  expect(worth(costsOf(used, inputOnly, undefined).total_cost)).toBe(0.5);
  expect(costsOf({ ...used, output_tokens: 1 }, inputOnly, undefined).total_cost).toBeUndefined();
});

test('decimals are read and written without loss', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e15, noNaN: true }), (value) => {
      const decimal = readDecimal(value);
      // Rates below 1e-40 count as missing.
      if (value !== 0 && value < 1e-40) return;
      expect(Number(writeDecimal(decimal!))).toBe(value);
      expect(writeDecimal(decimal!)).not.toMatch(/e/i);
    }),
  );
  expect(['1e-7', '0.10', '-3', '.5', 12, '007'].map((it) => writeDecimal(readDecimal(it)!))).toEqual([
    '0.0000001',
    '0.1',
    '-3',
    '0.5',
    '12',
    '7',
  ]);
  for (const none of ['', '.', 'x', '1e999', NaN, Infinity, null, {}, '1'.repeat(200)])
    expect(readDecimal(none)).toBeUndefined();
});

test('usage is always non-negative integers', () => {
  const names =
    `input_tokens output_tokens total_tokens prompt_tokens completion_tokens cache_read_input_tokens
    promptTokenCount thoughtsTokenCount inputTokens eval_count input_token_details prompt_tokens_details
    cache_creation tokens promptTokensDetails`.split(/\s+/);
  const anything = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.string(),
    fc.constant(null),
    fc.dictionary(fc.string(), fc.double()),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), anything), (usage) => {
      const read = readTokenUsage(usage);
      if (!read) return;
      const { input_token_details, output_token_details, ...sums } = read;
      for (const count of Object.values({ ...input_token_details, ...output_token_details, ...sums }))
        if (count !== undefined) {
          expect(Number.isInteger(count)).toBe(true);
          expect(count).toBeGreaterThanOrEqual(0);
        }
    }),
  );
});
