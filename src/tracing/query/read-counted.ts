import { sqlState, type Statement } from '../../platform/db/database.ts';
import { Where } from '../../platform/db/where.ts';
import { packedSql } from '../packs/pack-windows.ts';
import type { QueryDeps } from './found-runs.ts';
import { readBounded } from './read-bounded.ts';
import type { RunQuery } from './run-query.ts';

const SOME_ARE_PACKED = 'SL002';

/**
 * Reads what is counted of the runs of a query, in bounded time. `build` makes the statement, first of rows alone: it is
 * as quick then as if there were no packs. In one snapshot with it is asked whether there are any that may hold such
 * runs, and where there are, it is made anew for all. Throws TookTooLong.
 */
export async function readCounted<Row extends object>(
  { db, config }: QueryDeps,
  query: RunQuery,
  build: (query: RunQuery) => Statement,
): Promise<Row[]> {
  const seconds = config.SLIPWAY_TRACE_QUERY_SECONDS;
  const where = new Where();
  const packed = packedSql(query, {}, 'desc', (value) => where.bind(value));
  const guard = { text: `select tracing.expect_none(${packed})`, values: where.values };
  try {
    return await readBounded<Row>(db, seconds, build({ ...query, is_packed: false }), guard);
  } catch (error) {
    if (sqlState(error) !== SOME_ARE_PACKED) throw error;
    return readBounded<Row>(db, seconds, build(query));
  }
}

/** SQL of whether the run `u` is in a pack of those that the table `of` has of a query, or as they are in none. */
export const isWithThem = (u: string, of: string, { is_packed }: RunQuery): string =>
  `${u}.pack = ${is_packed === false ? '0' : `any(array(select distinct pack from ${of}))`}`;
