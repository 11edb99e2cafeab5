import { readInTurn } from '../bodies/block-reader.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';
import { type BesideAsked, readBeside } from '../runs/beside-runs.ts';
import { placesToRead } from '../runs/shown-preview.ts';
import { type RunRow, runRow } from '../runs/run-row.ts';
import { type RunView, viewRun, viewRuns } from '../runs/run-view.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';
import { findRuns, type QueryDeps } from './find-runs.ts';
import type { PageAsked, Place, RunQuery } from './run-query.ts';

export interface PageDeps extends QueryDeps {
  config: QueryDeps['config'] & { SLIPWAY_TRACE_PAGE_BYTES: number; SLIPWAY_TRACE_OPEN_RUNS: number };
}

export interface ViewAsked
  extends Required<Omit<BesideAsked, 'link' | 'tiers'>>, Pick<BesideAsked, 'link' | 'tiers'> {
  bodies: BodyColumn[];
  /** Whether roots include the tokens and costs of their traces. */
  totals: boolean;
  /** Whether a field is selected; others are not read if costly. Defaults to all. */
  shows?: (name: string) => boolean;
}

/** Writes one page of runs, which is shorter than requested if bodies are large. Returns the next cursor. */
export async function readPage(
  deps: PageDeps,
  query: RunQuery,
  page: PageAsked,
  asked: ViewAsked,
  show: (run: RunView) => void,
): Promise<Place | undefined> {
  const { rows: found, next } = await findRuns(deps, query, page, runRow(asked.shows, asked.bodies));
  const shown = await showRuns(deps, query.tenant_id, found, asked, show);
  return shown < found.length ? found[shown - 1] : next;
}

/**
 * Writes runs in order, with bodies as RawJson, until the page's byte limit. Returns how many were written, at least
 * one.
 */
export async function showRuns(
  { db, config }: Pick<PageDeps, 'db'> & { config: Pick<PageDeps['config'], 'SLIPWAY_TRACE_PAGE_BYTES'> },
  tenantId: string,
  found: RunRow[],
  asked: ViewAsked,
  show: (run: RunView) => void,
): Promise<number> {
  const { bodies: wanted } = asked;
  const turns = readInTurn(db, tenantId, found, (row) => placesToRead(row, wanted, asked.shows));
  let turn = turns.next();
  const [rows, beside] = await Promise.all([
    asked.totals ? withTraceTotals(db, tenantId, found) : found,
    readBeside(db, tenantId, found, asked),
    turn,
  ]);
  let shown = 0;
  let bytes = 0;
  for (;;) {
    const { value, done } = await turn;
    if (done) return shown;
    const { rows: some, bodies } = value;
    for (const body of bodies.values()) bytes += body.length;
    const isLast = bytes > config.SLIPWAY_TRACE_PAGE_BYTES;
    // Prefetches the next rows while these are written. Errors surface when they are awaited.
    if (!isLast) (turn = turns.next()).catch(() => {});
    const end = shown + some.length;
    for (const row of rows.slice(shown, end)) show(viewRun(row, beside(row), { wanted, bodies, raw: true }));
    shown = end;
    if (isLast) return shown;
  }
}

/** Views of a few runs. */
export async function viewAsked(
  deps: Pick<PageDeps, 'db'>,
  tenantId: string,
  found: RunRow[],
  asked: ViewAsked,
): Promise<RunView[]> {
  const rows = asked.totals ? await withTraceTotals(deps.db, tenantId, found) : found;
  return viewRuns(deps.db, tenantId, rows, { ...asked, raw: true });
}
