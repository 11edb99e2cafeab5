import type { RunPage, RunRow } from './tracing-records.ts';

/** Optional run fields that the trace tree needs. */
export const ROW = ['parent_run_id', 'end_time', 'first_token_time', 'total_tokens', 'total_cost'];

/** Reads all rows of a trace across pages. */
export async function readTraceRows(
  readPage: (cursor: string | undefined) => Promise<RunPage>,
): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    rows.push(...page.runs);
    cursor = page.cursors.next ?? undefined;
  } while (cursor);
  return rows;
}
