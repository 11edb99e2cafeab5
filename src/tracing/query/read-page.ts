import { readInPortions } from '../bodies/block-reader.ts';
import type { BodyColumn } from '../runs/run-columns.ts';
import { type RelatedDataOptions, readRelatedData } from './related-data.ts';
import { locationsToRead } from './shown-preview.ts';
import { type RunRow, runRow } from '../runs/run-row.ts';
import { type RunView, viewRun, viewRuns } from './run-view.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';
import { findRuns, type QueryDeps } from './find-runs.ts';
import type { PageRequest, Cursor, RunQuery } from './run-query.ts';

export interface PageDeps extends QueryDeps {
  config: QueryDeps['config'] & { SLIPWAY_TRACE_PAGE_BYTES: number; SLIPWAY_TRACE_OPEN_RUNS: number };
}

export interface ViewOptions
  extends Required<Omit<RelatedDataOptions, 'link' | 'tiers'>>, Pick<RelatedDataOptions, 'link' | 'tiers'> {
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
  page: PageRequest,
  options: ViewOptions,
  show: (run: RunView) => void,
): Promise<Cursor | undefined> {
  const { rows: found, next } = await findRuns(deps, query, page, runRow(options.shows, options.bodies));
  const shown = await showRuns(deps, query.tenant_id, found, options, show);
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
  options: ViewOptions,
  show: (run: RunView) => void,
): Promise<number> {
  const { bodies: wanted } = options;
  const portions = readInPortions(db, tenantId, found, (row) => locationsToRead(row, wanted, options.shows));
  let portion = portions.next();
  const [rows, related] = await Promise.all([
    options.totals ? withTraceTotals(db, tenantId, found) : found,
    readRelatedData(db, tenantId, found, options),
    portion,
  ]);
  let shown = 0;
  let bytes = 0;
  for (;;) {
    const { value, done } = await portion;
    if (done) return shown;
    const { rows: batch, bodies } = value;
    for (const body of bodies.values()) bytes += body.length;
    const isLast = bytes > config.SLIPWAY_TRACE_PAGE_BYTES;
    // Prefetches the next rows while these are written. Errors surface when they are awaited.
    if (!isLast) (portion = portions.next()).catch(() => {});
    const end = shown + batch.length;
    for (const row of rows.slice(shown, end)) show(viewRun(row, related(row), { wanted, bodies, raw: true }));
    shown = end;
    if (isLast) return shown;
  }
}

/** Views of a few runs. */
export async function viewFew(
  deps: Pick<PageDeps, 'db'>,
  tenantId: string,
  found: RunRow[],
  options: ViewOptions,
): Promise<RunView[]> {
  const rows = options.totals ? await withTraceTotals(deps.db, tenantId, found) : found;
  return viewRuns(deps.db, tenantId, rows, { ...options, raw: true });
}
