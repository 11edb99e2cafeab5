import { type Narrow, narrowest } from './filter/narrowest.ts';
import { type QueryDeps, readRuns } from './found-runs.ts';
import {
  type CandidateSpans,
  spansUntil,
  type CandidateRow,
  candidateStatement,
  readCandidateSpans,
} from './candidate-spans.ts';
import type { PageRequest, RunQuery } from './run-query.ts';
import { isNarrow } from './run-query-sql.ts';

// Common words fill a page from the first few blocks; rare ones soon exhaust all of them.
const FIRST_CANDIDATES = 64;
const GROWTH_FACTOR = 8;
const MAX_CANDIDATES = 4_096;

/** Spans that may contain matching runs, newest first. Undefined means everywhere and is the last value. */
export async function* candidateSpansOf(
  deps: QueryDeps,
  query: RunQuery,
  { order, after }: PageRequest,
): AsyncGenerator<CandidateSpans | undefined, void, undefined> {
  const narrow = order === 'desc' && !isNarrow(query) ? narrowest(query.filter) : undefined;
  if (!narrow) return yield undefined;
  let to = after?.start_time ?? query.until;
  for (let limit = FIRST_CANDIDATES; limit <= MAX_CANDIDATES; limit *= GROWTH_FACTOR) {
    const candidates = await findCandidateSpans(deps, query, narrow, to, limit);
    if (!candidates) return yield undefined;
    if (candidates.spans.length > 0) yield candidates;
    if (candidates.floor === undefined) return;
    to = candidates.floor;
    if (candidates.hasUnfilteredBelow) break;
  }
  yield spansUntil(to!);
}

async function findCandidateSpans(
  deps: QueryDeps,
  query: RunQuery,
  narrow: Narrow[],
  to: string | undefined,
  limit: number,
): Promise<CandidateSpans | undefined> {
  const rows = await readRuns<CandidateRow>(deps, candidateStatement(query, narrow, to, limit));
  return readCandidateSpans(rows, narrow, to, limit);
}
