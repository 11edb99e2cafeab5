import { expect, test } from '@jest/globals';
import type { Context } from 'koa';
import { paginate } from '../../src/platform/http/pagination.ts';

/** The page of `count` rows found with limit + 1, and the headers it sets. */
function answer(count: number, page: { limit: number; offset: number }) {
  const headers: Record<string, string> = {};
  const ctx = { set: (name: string, value: string) => (headers[name] = value) } as unknown as Context;
  const rows = Array.from({ length: count }, (_, index) => index);
  return { rows: paginate(ctx, page, rows), headers };
}

test('a page with a successor has its offset', () => {
  expect(answer(3, { limit: 2, offset: 4 })).toEqual({
    rows: [0, 1],
    headers: { 'x-pagination-total': '7', 'x-pagination-next': '6' },
  });
});

test.each([
  [2, '6'],
  [1, '5'],
  [0, '4'],
])('the last page, of %i rows, gives the number of all', (count, total) => {
  const { rows, headers } = answer(count, { limit: 2, offset: 4 });
  expect(rows).toHaveLength(count);
  expect(headers).toEqual({ 'x-pagination-total': total });
});
