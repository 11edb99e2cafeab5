import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { RUN_ROW, type RunRow } from '../runs/run-row.ts';
import { runJson, viewInPortions } from '../query/run-view.ts';
import { advanceExport, endExport, type ExportRow, findOpenExport, insertPart } from './export-repository.ts';

const compress = promisify(gzip);
const RUNS = 500;

/**
 * Writes the remaining runs of an export as JSON lines in gzip members. Each part and the progress commit together,
 * so a retry neither skips nor repeats runs. Parts hold fewer runs if those are large.
 */
export async function writeExportParts(db: Database, id: string): Promise<void> {
  let open = await findOpenExport(db, id);
  while (open) {
    const rows = await nextRuns(db, open);
    if (rows.length === 0) return endExport(db, id, 'Completed');
    const about = open;
    const turns = viewInPortions(db, about.tenant_id, rows, { raw: true });
    const { value: runs } = await turns.next();
    await turns.return();
    const last = rows[runs!.length - 1]!;
    const bytes = await compress(runs!.map((run) => `${runJson(run)}\n`).join(''));
    await inTransaction(db, async (tx) => {
      const next = { start: last.start_time, id: last.id, runs: runs!.length, bytes: bytes.length };
      if (await advanceExport(tx, about, next)) await insertPart(tx, about, bytes);
    });
    open = await findOpenExport(db, id);
  }
}

async function nextRuns(db: Queryable, about: ExportRow): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_ROW} from tracing.run r
     where r.tenant_id = $1 and r.project_id = $2 and r.is_posted
       and ($3::timestamptz is null or r.start_time >= $3) and ($4::timestamptz is null or r.start_time < $4)
       and ($5::timestamptz is null or (r.start_time, r.id) > ($5, $6::uuid))
     order by r.start_time, r.id limit ${RUNS}`,
    [
      about.tenant_id,
      about.project_id,
      about.start_time,
      about.end_time,
      about.cursor_start,
      about.cursor_id,
    ],
  );
  return rows;
}
