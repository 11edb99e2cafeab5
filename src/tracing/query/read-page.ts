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
  /** Whether roots show the tokens and costs of their traces. */
  totals: boolean;
  /** Whether a name of a run is shown: what is not, and costs to be read, is not read. All are where nobody says. */
  shows?: (name: string) => boolean;
}

/** Shows one page of runs, which is shorter than asked where their bodies are many. Returns where the next one begins. */
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
 * Shows these runs, one after the other, with bodies as RawJson, until their bodies are as many as a page holds. Returns
 * how many were shown: one at least.
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
    // The next are read while these are written; what fails then is told when they are awaited.
    if (!isLast) (turn = turns.next()).catch(() => {});
    const end = shown + some.length;
    for (const row of rows.slice(shown, end)) show(viewRun(row, beside(row), { wanted, bodies, raw: true }));
    shown = end;
    if (isLast) return shown;
  }
}

/** Few runs, as they are shown. */
export async function viewAsked(
  deps: Pick<PageDeps, 'db'>,
  tenantId: string,
  found: RunRow[],
  asked: ViewAsked,
): Promise<RunView[]> {
  const rows = asked.totals ? await withTraceTotals(deps.db, tenantId, found) : found;
  return viewRuns(deps.db, tenantId, rows, { ...asked, raw: true });
}
