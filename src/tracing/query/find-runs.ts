import { InvalidRequest } from '../../platform/errors.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { cut, type Found, type QueryDeps, readRuns } from './found-runs.ts';
import { bodyTests, type PageRequest, type RunQuery } from './run-query.ts';
import { pageStatement } from './run-query-sql.ts';
import { searchRuns } from './search-runs.ts';

export type { QueryDeps } from './found-runs.ts';

/**
 * A page of runs. Filters on bodies read candidates until the page is full or the read limit is reached, so a page
 * may be short or empty and still have a next one.
 */
export async function findRuns(
  deps: QueryDeps,
  query: RunQuery,
  page: PageRequest,
  columns = RUN_ROW,
): Promise<Found> {
  const { own, ofTrace } = bodyTests(query);
  if (own.length + ofTrace.length > 0) return searchRuns(deps, query, page, columns);
  const rows = await readRuns<RunRow>(
    deps,
    pageStatement(query, { ...page, limit: page.limit + 1 }, columns),
  );
  return cut(rows, page.limit);
}

/** Replaces a query that filters on bodies by one for the ids of matching runs. */
export async function withoutBodies(deps: QueryDeps, query: RunQuery): Promise<RunQuery> {
  const { own, ofTrace } = bodyTests(query);
  if (own.length + ofTrace.length === 0) return query;
  const limit = deps.config.SLIPWAY_TRACE_SEARCH_RUNS;
  const { rows, next } = await findRuns(deps, query, { order: 'desc', limit });
  if (next)
    throw new InvalidRequest(
      `The search covers more than ${limit} runs; narrow the time range or the filter`,
    );
  return { tenant_id: query.tenant_id, ids: rows.map(({ id }) => id), is_root: query.is_root };
}
