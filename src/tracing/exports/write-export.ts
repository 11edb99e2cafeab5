import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { readAll, readPageRows } from '../query/page-rows.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { viewInTurn } from '../runs/run-view.ts';
import { advanceExport, endExport, type ExportRow, findOpenExport, insertPart } from './export-repository.ts';

const compress = promisify(gzip);
const RUNS = 500;

/**
 * Writes what is missing of an export: lines of JSON, a run each, as gzip members of some hundred runs, of fewer where those are large. A part and how
 * far it goes are one transaction, so that whoever goes on leaves nothing out and repeats nothing.
 */
export async function writeExportParts(db: Database, id: string): Promise<void> {
  let open = await findOpenExport(db, id);
  while (open) {
    const rows = await nextRuns(db, open);
    if (rows.length === 0) return endExport(db, id, 'Completed');
    const about = open;
    const turns = viewInTurn(db, about.tenant_id, rows);
    const { value: runs } = await turns.next();
    await turns.return();
    const last = rows[runs!.length - 1]!;
    const bytes = await compress(runs!.map((run) => `${JSON.stringify(run)}\n`).join(''));
    await inTransaction(db, async (tx) => {
      const next = { start: last.start_time, id: last.id, runs: runs!.length, bytes: bytes.length };
      if (await advanceExport(tx, about, next)) await insertPart(tx, about, bytes);
    });
    open = await findOpenExport(db, id);
  }
}

async function nextRuns(db: Queryable, about: ExportRow): Promise<RunRow[]> {
  const { tenant_id, project_id, start_time, end_time, cursor_start, cursor_id } = about;
  const query = {
    tenant_id,
    projects: [project_id],
    from: start_time ?? undefined,
    until: end_time ?? undefined,
  };
  const after = cursor_start && cursor_id ? { start_time: cursor_start, id: cursor_id } : undefined;
  return readPageRows<RunRow>(readAll(db), query, { order: 'asc', after, limit: RUNS }, RUN_ROW, {
    only: 'r.is_posted',
  });
}
