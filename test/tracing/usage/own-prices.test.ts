import { beforeAll, expect, test } from '@jest/globals';
import { LibraryPrices } from '../../../src/tracing/usage/library-prices.ts';
import { OwnPrices } from '../../../src/tracing/usage/own-prices.ts';
import { writePrice } from '../../../src/tracing/usage/price.ts';
import { readPattern } from '../../../src/tracing/usage/price-pattern.ts';
import type { ModelPrice } from '../../../src/tracing/usage/price-repository.ts';
import { readPrice } from '../../../src/tracing/usage/price-schemas.ts';
import { TenantPrices } from '../../../src/tracing/usage/prices.ts';
import { PATIENCE_MS } from '../../support/until.ts';

let library: LibraryPrices;
beforeAll(async () => {
  library = await LibraryPrices.open();
});

const row = (over: Partial<ModelPrice>): ModelPrice => ({
  id: 'a',
  created_at: '',
  updated_at: '',
  ...readPrice({ name: 'ours', match_pattern: '^ours-', prompt_cost: '0.000001', completion_cost: 2e-6 }),
  ...over,
});
const find = (
  rows: ModelPrice[],
  name: string,
  over: { key?: string; provider?: string; at?: string } = {},
) =>
  new TenantPrices(new OwnPrices(rows), library).find(
    { provider: over.provider, names: [{ key: over.key, name }] },
    new Date(over.at ?? '2026-01-01T00:00:00Z'),
    1,
  )?.name;

test("own prices win over the library's", () => {
  const rows = [row({ name: 'cheaper', match_pattern: '^gpt-4o$' })];
  expect(find(rows, 'gpt-4o')).toBe('cheaper');
  expect(find(rows, 'gpt-4o-mini')).toBe('openai:gpt-4o-mini');
  expect(find(rows, 'nobody-knows')).toBeUndefined();
});

test('a price applies from its start time, to its provider and keys', () => {
  const later = row({ name: 'later', start_time: '2026-06-01T00:00:00Z' });
  const rows = [later, row({})];
  expect(find(rows, 'ours-1', { at: '2026-05-31T23:59:59Z' })).toBe('ours');
  expect(find(rows, 'ours-1', { at: '2026-06-01T00:00:00Z' })).toBe('later');
  const theirs = [row({ provider: 'Acme' })];
  expect(find(theirs, 'ours-1', { provider: 'acme' })).toBe('ours');
  expect(find(theirs, 'ours-1')).toBeUndefined();
  const byEndpoint = [row({ match_path: ['endpoint_name'] })];
  expect(find(byEndpoint, 'ours-1', { key: 'model' })).toBeUndefined();
  expect(find(byEndpoint, 'ours-1', { key: 'endpoint_name' })).toBe('ours');
});

test('stores a price with its rates as text without exponents', () => {
  const [price] = [row({ prompt_cost_details: { cache_read: '0.0000001' } })].map((it) =>
    new OwnPrices([it]).find(
      { provider: undefined, names: [{ key: undefined, name: 'ours-1' }] },
      new Date(),
    ),
  );
  expect(writePrice(price!)).toEqual({
    price_model_id: 'a',
    price: 'ours',
    rates: { prompt: '0.000001', completion: '0.000002', prompt_details: { cache_read: '0.0000001' } },
  });
});

test('matches patterns quickly that are exponential in other engines', () => {
  const evil = [row({ match_pattern: '^(a+)+$' })];
  const started = performance.now();
  expect(find(evil, `${'a'.repeat(199)}!`)).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
});

test('rejects invalid patterns and costs', () => {
  for (const pattern of ['(', 'a(?=b)', '[z-a]'])
    expect(() => readPattern(pattern)).toThrow(/^match_pattern: /);
  const body = { name: 'x', match_pattern: 'x', prompt_cost: 1, completion_cost: 1 };
  for (const cost of ['-1', 'free', '1e400'])
    expect(() => readPrice({ ...body, prompt_cost: cost })).toThrow(
      'prompt_cost must be a non-negative number',
    );
  expect(() => readPrice({ ...body, prompt_cost_details: { audio: 'x' } })).toThrow(
    'prompt_cost_details.audio',
  );
});
