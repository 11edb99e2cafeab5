import type { Database, Statement } from '../../platform/db/database.ts';
import type { RunRow } from '../runs/run-row.ts';
import { readBounded } from './read-bounded.ts';
import type { Cursor } from './run-query.ts';

export interface QueryDeps {
  db: Database;
  config: { SLIPWAY_TRACE_QUERY_SECONDS: number; SLIPWAY_TRACE_SEARCH_RUNS: number };
}

export interface Found {
  rows: RunRow[];
  /** Cursor of the next page; undefined on the last. */
  next: Cursor | undefined;
}

/** Runs with a time limit. Throws TookTooLong. */
export const readRuns = <Row extends object>(
  { db, config }: QueryDeps,
  statement: Statement,
): Promise<Row[]> => readBounded<Row>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, statement);

/** Cuts rows to a page. The query must have fetched one more than `limit`. */
export function cut(rows: RunRow[], limit: number): Found {
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? cursorOf(page.at(-1)!) : undefined };
}

export const cursorOf = ({ start_time, id }: Cursor): Cursor => ({ start_time, id });
