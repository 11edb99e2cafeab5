import type { Database } from '../../platform/db/database.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { readInTurn } from '../bodies/block-reader.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { RunBodies } from './filter/body-test.ts';
import { readBounded } from './read-bounded.ts';
import { bodyTests, type PageAsked, type Place, type RunQuery } from './run-query.ts';
import { type KnownBodies, pageStatement } from './run-query-sql.ts';

export interface QueryDeps {
  db: Database;
  config: { SLIPWAY_TRACE_QUERY_SECONDS: number; SLIPWAY_TRACE_SEARCH_RUNS: number };
}

export interface Found {
  rows: RunRow[];
  /** Where to go on; undefined when there is nothing more. */
  next: Place | undefined;
}

interface Candidate extends Place {
  trace_id: string;
  inputs: string | null;
  outputs: string | null;
}

const CANDIDATE = 'r.id, r.start_time, r.trace_id, r.inputs::text, r.outputs::text';
const CHUNK = 500;
const CHUNK_OF_TRACES = 50;

/**
 * One page of runs. Where a filter asks what only bodies tell, runs that may pass are read until the page is full or
 * enough were read: a page may then be short, or empty, and there is still a next one.
 */
export async function findRuns(
  deps: QueryDeps,
  query: RunQuery,
  page: PageAsked,
  columns = RUN_ROW,
): Promise<Found> {
  const { own, ofTrace } = bodyTests(query);
  if (own.length + ofTrace.length > 0) return searchRuns(deps, query, page, columns);
  const rows = await read<RunRow>(deps, pageStatement(query, { ...page, limit: page.limit + 1 }, columns));
  return cut(rows, page.limit);
}

const read = <Row extends object>({ db, config }: QueryDeps, statement: ReturnType<typeof pageStatement>) =>
  readBounded<Row>(db, config.SLIPWAY_TRACE_QUERY_SECONDS, statement);

function cut(rows: RunRow[], limit: number): Found {
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? placeOf(page.at(-1)!) : undefined };
}

const placeOf = ({ start_time, id }: Place): Place => ({ start_time, id });

async function searchRuns(
  deps: QueryDeps,
  query: RunQuery,
  page: PageAsked,
  columns: string,
): Promise<Found> {
  const chunk = bodyTests(query).ofTrace.length > 0 ? CHUNK_OF_TRACES : CHUNK;
  const found: RunRow[] = [];
  let { after } = page;
  let left = deps.config.SLIPWAY_TRACE_SEARCH_RUNS;
  for (;;) {
    const limit = Math.min(chunk, left);
    const candidates = await read<Candidate>(
      deps,
      pageStatement(query, { ...page, after, limit }, CANDIDATE),
    );
    if (candidates.length > 0) {
      const known = await passBodies(deps, query, candidates);
      const exact = { ...query, ids: candidates.map(({ id }) => id) };
      found.push(
        ...(await read<RunRow>(deps, pageStatement(exact, { ...page, after, limit }, columns, known))),
      );
    }
    left -= candidates.length;
    if (found.length > page.limit) return cut(found, page.limit);
    if (candidates.length < limit) return { rows: found, next: undefined };
    after = placeOf(candidates.at(-1)!);
    if (left <= 0 || found.length === page.limit) return { rows: found, next: after };
  }
}

/** Which of the candidates, and of the runs of their traces where those are asked for, pass each test. */
async function passBodies(deps: QueryDeps, query: RunQuery, candidates: Candidate[]): Promise<KnownBodies> {
  const { own, ofTrace } = bodyTests(query);
  const traces = [...new Set(candidates.map(({ trace_id }) => trace_id))];
  const others =
    ofTrace.length === 0
      ? []
      : await read<Candidate>(deps, {
          text: `select ${CANDIDATE} from tracing.run r where r.tenant_id = $1 and r.trace_id = any($2::uuid[])`,
          values: [query.tenant_id, traces],
        });
  const known: KnownBodies = new Map();
  await test(deps, query.tenant_id, own, candidates, known);
  await test(deps, query.tenant_id, ofTrace, others, known);
  return known;
}

async function test(
  { db }: QueryDeps,
  tenantId: string,
  tests: ReturnType<typeof bodyTests>['own'],
  runs: Candidate[],
  known: NonNullable<KnownBodies>,
): Promise<void> {
  for (const test of tests) known.set(test, []);
  if (tests.length === 0) return;
  const placesOf = ({ inputs, outputs }: Candidate) => [inputs, outputs].filter((place) => place !== null);
  for await (const { rows: some, bodies: texts } of readInTurn(db, tenantId, runs, placesOf)) {
    const text = (place: string | null) => (place === null ? undefined : texts.get(place)?.toString('utf8'));
    for (const { id, inputs, outputs } of some) {
      const bodies = new RunBodies({ inputs: text(inputs), outputs: text(outputs) });
      for (const test of tests) if (bodies.passes(test)) known.get(test)!.push(id);
    }
  }
}

/** A query of bodies becomes one of the runs that pass it. */
export async function withoutBodies(deps: QueryDeps, query: RunQuery): Promise<RunQuery> {
  const { own, ofTrace } = bodyTests(query);
  if (own.length + ofTrace.length === 0) return query;
  const limit = deps.config.SLIPWAY_TRACE_SEARCH_RUNS;
  const { rows, next } = await findRuns(deps, query, { order: 'desc', limit });
  if (next)
    throw new InvalidRequest(
      `The search goes through more than ${limit} runs; ask for less time or another filter`,
    );
  return { tenant_id: query.tenant_id, ids: rows.map(({ id }) => id), is_root: query.is_root };
}
