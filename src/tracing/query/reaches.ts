import { type Narrow, narrowest } from './filter/narrowest.ts';
import { type QueryDeps, readRuns } from './found-runs.ts';
import { type Reach, reachOfAll, type ReachRow, reachStatement, readReach } from './reach.ts';
import type { PageAsked, RunQuery } from './run-query.ts';
import { isNarrow } from './run-query-sql.ts';

// Common words fill a page from the first few blocks; rare ones soon exhaust all of them.
const FIRST_PLACES = 64;
const MORE_PLACES = 8;
const MOST_PLACES = 4_096;

/** Spans that may contain matching runs, newest first. Undefined means everywhere and is the last value. */
export async function* reachesOf(
  deps: QueryDeps,
  query: RunQuery,
  { order, after }: PageAsked,
): AsyncGenerator<Reach | undefined, void, undefined> {
  const narrow = order === 'desc' && !isNarrow(query) ? narrowest(query.filter) : undefined;
  if (!narrow) return yield undefined;
  let to = after?.start_time ?? query.until;
  for (let most = FIRST_PLACES; most <= MOST_PLACES; most *= MORE_PLACES) {
    const reach = await findReach(deps, query, narrow, to, most);
    if (!reach) return yield undefined;
    if (reach.spans.length > 0) yield reach;
    if (reach.floor === undefined) return;
    to = reach.floor;
    if (reach.isFloorUnknown) break;
  }
  yield reachOfAll(to!);
}

async function findReach(
  deps: QueryDeps,
  query: RunQuery,
  narrow: Narrow[],
  to: string | undefined,
  most: number,
): Promise<Reach | undefined> {
  const rows = await readRuns<ReachRow>(deps, reachStatement(query, narrow, to, most));
  return readReach(rows, narrow, to, most);
}
