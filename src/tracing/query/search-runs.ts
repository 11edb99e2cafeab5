import { readInPortions } from '../bodies/block-reader.ts';
import { filterBitsOf, mayContainSql } from '../bodies/word-filter.ts';
import type { RunRow } from '../runs/run-row.ts';
import { RunBodies } from './filter/body-test.ts';
import type { BodyTest } from './filter/condition.ts';
import { cut, type Found, cursorOf, type QueryDeps, readRuns } from './found-runs.ts';
import { candidateSpansOf } from './find-candidate-spans.ts';
import { bodyTests, type PageRequest, type Cursor, type RunQuery } from './run-query.ts';
import { pageStatement } from './run-query-sql.ts';

interface Candidate extends Cursor {
  trace_id: string;
  inputs: string | null;
  outputs: string | null;
}

const CANDIDATE = 'r.id, r.start_time, r.trace_id, r.inputs::text, r.outputs::text';
const CHUNK = 500;
const CHUNK_OF_TRACES = 50;
// A common word occurs in every second or third run.
const PER_RUN = 2.5;
const MIN_CHUNK = 50;

/** Estimates how many more runs to read to fill the page. */
const likelyNeeded = (missing: number, found: number, read: number): number =>
  found === 0 ? CHUNK : Math.max(MIN_CHUNK, Math.ceil((1.3 * missing * read) / found));

/** A page of runs matching a filter with tests on bodies; see findRuns. */
export async function searchRuns(
  deps: QueryDeps,
  query: RunQuery,
  page: PageRequest,
  columns: string,
): Promise<Found> {
  const chunk = bodyTests(query).ofTrace.length > 0 ? CHUNK_OF_TRACES : CHUNK;
  const found: RunRow[] = [];
  let { after } = page;
  let left = deps.config.SLIPWAY_TRACE_SEARCH_RUNS;
  let read = 0;
  let likely = Math.ceil(PER_RUN * (page.limit + 1));
  for await (const spans of candidateSpansOf(deps, query, page))
    for (;;) {
      const limit = Math.min(chunk, left, likely);
      const candidates = await readRuns<Candidate>(
        deps,
        pageStatement(query, { ...page, after, limit }, CANDIDATE, { candidates: spans }),
      );
      if (candidates.length > 0) {
        const passing = await passBodies(deps, query, candidates);
        const exact = { ...query, ids: candidates.map(({ id }) => id) };
        found.push(
          ...(await readRuns<RunRow>(
            deps,
            pageStatement(exact, { ...page, after, limit: page.limit + 1 - found.length }, columns, {
              passing,
            }),
          )),
        );
      }
      left -= candidates.length;
      read += candidates.length;
      likely = likelyNeeded(page.limit + 1 - found.length, found.length, read);
      if (found.length > page.limit) return cut(found, page.limit);
      const isOver = candidates.length < limit;
      if (!isOver) after = cursorOf(candidates.at(-1)!);
      if (isOver && !spans?.floor) return { rows: found, next: undefined };
      if (found.length === page.limit) return { rows: found, next: cursorOf(found.at(-1)!) };
      if (left <= 0) return { rows: found, next: after };
      if (isOver) break;
    }
  return { rows: found, next: undefined };
}

/** Runs the tests on candidates and, if needed, on the other runs of their traces. */
async function passBodies(
  deps: QueryDeps,
  query: RunQuery,
  candidates: Candidate[],
): Promise<Map<BodyTest, string[]>> {
  const { own, ofTrace } = bodyTests(query);
  const traces = [...new Set(candidates.map(({ trace_id }) => trace_id))];
  const others =
    ofTrace.length === 0
      ? []
      : await readRuns<Candidate>(deps, {
          text: `select ${CANDIDATE} from tracing.run r where r.tenant_id = $1 and r.trace_id = any($2::uuid[])`,
          values: [query.tenant_id, traces],
        });
  const passing = new Map<BodyTest, string[]>();
  await test(deps, query.tenant_id, own, candidates, passing);
  await test(deps, query.tenant_id, ofTrace, others, passing);
  return passing;
}

async function test(
  { db }: QueryDeps,
  tenantId: string,
  tests: BodyTest[],
  runs: Candidate[],
  passing: Map<BodyTest, string[]>,
): Promise<void> {
  for (const test of tests) passing.set(test, []);
  if (tests.length === 0) return;
  const locationsOf = ({ inputs, outputs }: Candidate) =>
    [inputs, outputs].filter((location) => location !== null);
  const portions = readInPortions(db, tenantId, runs, locationsOf, {
    maxRows: CHUNK,
    condition: mayPassSql(tests),
  });
  for await (const { rows, bodies: texts } of portions) {
    const text = (location: string | null) =>
      location === null ? undefined : texts.get(location)?.toString('utf8');
    for (const { id, inputs, outputs } of rows) {
      const bodies = new RunBodies({ inputs: text(inputs), outputs: text(outputs) });
      for (const test of tests) if (bodies.passes(test)) passing.get(test)!.push(id);
    }
  }
}

/** SQL condition for blocks that may pass a test. Bodies in other blocks fail word tests. */
function mayPassSql(tests: BodyTest[]): string {
  const filters = tests.map((test) => ('word' in test ? filterBitsOf(test.word, 'bodies') : []));
  return filters.every((bits) => bits.length > 0)
    ? filters.map((bits) => mayContainSql('b.grams', bits)).join(' or ')
    : 'true';
}
