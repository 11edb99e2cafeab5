import type { Context } from 'koa';
import { Type } from 'typebox';
import { StringEnum } from '../schema.ts';

/** Pagination properties of all searches (contract §1.3). */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 10 }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
};

export interface Page {
  limit: number;
  offset: number;
}

export const SortOrder = StringEnum(['asc', 'desc'], { default: 'desc' });
export type SortOrder = 'asc' | 'desc';

/**
 * Cuts the rows to a page and sets the pagination headers. `rows` has one more than `limit` if there is a next page.
 * `X-Pagination-Total` is a lower bound, which saves a counting query.
 */
export function paginate<Row>(ctx: Context, { limit, offset }: Page, rows: Row[]): Row[] {
  const next = offset + limit;
  const isLast = rows.length <= limit;
  ctx.set('x-pagination-total', String(isLast ? offset + rows.length : next + 1));
  if (!isLast) ctx.set('x-pagination-next', String(next));
  return isLast ? rows : rows.slice(0, limit);
}
