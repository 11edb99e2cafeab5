import type { Queryable } from '../../platform/db/database.ts';
import { removeUnusedBlobs } from '../bodies/unused-blobs.ts';
import { forgetWords } from './run-words.ts';

// Tables that refer to runs, and the referring column.
const ABOUT_RUNS = {
  feedback: 'run_id',
  feedback_token: 'run_id',
  annotation_queue_run: 'run_id',
  share: 'run_id',
  run_awaited: 'id',
  kept_run: 'run_id',
};

/** Deletes these rows with their attachments, feedback and shares. Bodies stay in their blocks. */
export async function removeRuns(
  tx: Queryable,
  tenantId: string,
  rows: { id: string; start_time: string; project_id: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await tx.query(
    `delete from tracing.run r using unnest($2::uuid[], $3::timestamptz[]) as w (id, start_time)
     where r.tenant_id = $1 and r.id = w.id and r.start_time = w.start_time`,
    [tenantId, ids, rows.map(({ start_time }) => start_time)],
  );
  await forgetWords(tx, tenantId, rows);
  for (const [table, column] of Object.entries(ABOUT_RUNS))
    await tx.query(`delete from tracing.${table} where tenant_id = $1 and ${column} = any($2)`, [
      tenantId,
      ids,
    ]);
  const { rows: attached } = await tx.query<{ sha256: Buffer }>(
    'delete from tracing.attachment where tenant_id = $1 and run_id = any($2) returning sha256',
    [tenantId, ids],
  );
  const hashes = attached.map(({ sha256 }) => sha256);
  await removeUnusedBlobs(tx, tenantId, hashes);
}
