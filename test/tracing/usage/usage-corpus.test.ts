import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { LibraryPrices } from '../../../src/tracing/usage/library-prices.ts';
import { OwnPrices } from '../../../src/tracing/usage/own-prices.ts';
import { TenantPrices } from '../../../src/tracing/usage/prices.ts';
import { usageColumns } from '../../../src/tracing/usage/usage-columns.ts';
import type { RunContents } from '../../../src/tracing/usage/usage-sources.ts';

interface Case {
  title: string;
  run: RunContents & { start_time: string };
  /** Null if the run has no usage; unknown values are null. */
  expected: Record<string, unknown> | null;
}

const folder = new URL('./corpus/', import.meta.url);
let prices: TenantPrices;
beforeAll(async () => {
  prices = new TenantPrices(new OwnPrices([]), await LibraryPrices.open());
});

// Prices are from the providers' pages on the day of the run, computed by hand.
describe.each(readdirSync(folder).sort())('%s', (file) => {
  const { cases } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { cases: Case[] };
  test.each(cases.map((it) => [it.title, it] as const))('%s', (_title, { run, expected }) => {
    const columns = usageColumns(run, new Date(run.start_time), prices);
    if (!expected || !columns) {
      expect(columns ?? null).toEqual(expected);
      return;
    }
    const actual: Record<string, unknown> = { ...columns, ...columns.usage };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, actual[key] ?? null]))).toEqual(
      expected,
    );
  });
});
