import { readBodies } from '../bodies/block-reader.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';
import { type BesideAsked, readBeside } from '../runs/beside-runs.ts';
import { type RunRow, runRow } from '../runs/run-row.ts';
import { placesOf, type RunView, viewRun, viewRuns } from '../runs/run-view.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';
import { findRuns, type QueryDeps } from './find-runs.ts';
import type { PageAsked, Place, RunQuery } from './run-query.ts';

export interface PageDeps extends QueryDeps {
  config: QueryDeps['config'] & { SLIPWAY_TRACE_PAGE_BYTES: number; SLIPWAY_TRACE_OPEN_RUNS: number };
}

export interface ViewAsked
  extends Required<Omit<BesideAsked, 'link' | 'tiers'>>, Pick<BesideAsked, 'link' | 'tiers'> {
  bodies: BodyColumn[];
  /** Whether roots show the tokens and costs of their traces. */
  totals: boolean;
  /** Whether a name of a run is shown: what is not, and costs to be read, is not read. All are where nobody says. */
  shows?: (name: string) => boolean;
}

const ROWS_AT_ONCE = 200;

/**
 * Shows one page of runs, one after the other, with bodies as RawJson. It is shorter than asked where their bodies are
 * many: what is left begins the next page. Returns where that is.
 */
export async function readPage(
  deps: PageDeps,
  query: RunQuery,
  page: PageAsked,
  asked: ViewAsked,
  show: (run: RunView) => void,
): Promise<Place | undefined> {
  const { rows: found, next } = await findRuns(deps, query, page, runRow(asked.shows, asked.bodies));
  const { db } = deps;
  const { tenant_id } = query;
  const { bodies: wanted } = asked;
  const readSome = (at: number) =>
    readBodies(db, tenant_id, placesOf(found.slice(at, at + ROWS_AT_ONCE), wanted));
  let reading = readSome(0);
  const [rows, beside] = await Promise.all([
    asked.totals ? withTraceTotals(db, tenant_id, found) : found,
    readBeside(db, tenant_id, found, asked),
    reading,
  ]);
  let bytes = 0;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const bodies = await reading;
    for (const body of bodies.values()) bytes += body.length;
    const isLast = bytes > deps.config.SLIPWAY_TRACE_PAGE_BYTES;
    // The next are read while these are written; what fails then is told when they are awaited.
    if (!isLast) (reading = readSome(at + ROWS_AT_ONCE)).catch(() => {});
    for (const row of rows.slice(at, at + ROWS_AT_ONCE))
      show(viewRun(row, beside(row), { wanted, bodies, raw: true }));
    if (isLast && at + ROWS_AT_ONCE < rows.length) return rows[at + ROWS_AT_ONCE - 1];
  }
  return next;
}

export async function viewAsked(
  deps: Pick<PageDeps, 'db'>,
  tenantId: string,
  found: RunRow[],
  asked: ViewAsked,
): Promise<RunView[]> {
  const rows = asked.totals ? await withTraceTotals(deps.db, tenantId, found) : found;
  return viewRuns(deps.db, tenantId, rows, { ...asked, raw: true });
}
