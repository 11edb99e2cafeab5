import type { BlobLink } from '../bodies/blob-links.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';
import { type RunRow, runRow } from '../runs/run-row.ts';
import { RawJson, type RunView, viewRuns } from '../runs/run-view.ts';
import { findRuns, type QueryDeps } from './find-runs.ts';
import type { PageAsked, Place, RunQuery } from './run-query.ts';
import { withChildIds } from './child-ids.ts';
import { withTraceTotals } from '../usage/trace-totals.ts';

export interface PageDeps extends QueryDeps {
  config: QueryDeps['config'] & { SLIPWAY_TRACE_PAGE_BYTES: number; SLIPWAY_TRACE_OPEN_RUNS: number };
}

export interface ViewAsked {
  bodies: BodyColumn[];
  /** Whether roots show the tokens and costs of their traces. */
  totals: boolean;
  childIds: boolean;
  feedback: boolean;
  shares: boolean;
  /** Whether to say how long they are kept. */
  tiers?: boolean;
  /** Whether a name of a run is shown: what is not, and costs to be read, is not read. All are where nobody says. */
  shows?: (name: string) => boolean;
  /** How what is attached is linked to; it is left out where nobody says. */
  link?: BlobLink | undefined;
}

const ROWS_AT_ONCE = 200;

/**
 * One page of runs, with bodies as RawJson. It is shorter than asked where their bodies are many: what is left begins
 * the next page.
 */
export async function readPage(
  deps: PageDeps,
  query: RunQuery,
  page: PageAsked,
  asked: ViewAsked,
): Promise<{ views: RunView[]; next: Place | undefined }> {
  const { rows, next } = await findRuns(deps, query, page, runRow(asked.shows));
  if (asked.bodies.length === 0) return { views: await viewAsked(deps, query.tenant_id, rows, asked), next };
  const views: RunView[] = [];
  let bytes = 0;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    if (bytes > deps.config.SLIPWAY_TRACE_PAGE_BYTES) return { views, next: rows[at - 1] };
    const some = await viewAsked(deps, query.tenant_id, rows.slice(at, at + ROWS_AT_ONCE), asked);
    for (const view of some)
      for (const value of Object.values(view)) if (value instanceof RawJson) bytes += value.text.length;
    views.push(...some);
  }
  return { views, next };
}

export async function viewAsked(
  { db }: Pick<PageDeps, 'db'>,
  tenantId: string,
  rows: RunRow[],
  { bodies, totals, childIds, feedback, shares, tiers = false, link }: ViewAsked,
): Promise<RunView[]> {
  const counted = totals ? await withTraceTotals(db, tenantId, rows) : rows;
  const options = { bodies, raw: true, feedback, shares, tiers, ...(link && { link }) };
  const views = await viewRuns(db, tenantId, counted, options);
  return childIds ? withChildIds(db, tenantId, views) : views;
}
