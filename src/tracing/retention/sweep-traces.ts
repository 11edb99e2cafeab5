import type { Database, Queryable } from '../../platform/db/database.ts';
import { deleteOldExports } from '../exports/export-repository.ts';
import { deleteExpiredWords, settleUnknownWords } from '../runs/run-words.ts';
import { deleteExpiredBlocks, deleteExpiredRuns } from './expired-rows.ts';
import { type ProjectRetention, listRetention, type RetentionDays } from './project-retention.ts';
import { resolveRetainedRuns } from '../traces/retained-traces.ts';
import { deleteUnreferencedBlobs } from './unreferenced-blobs.ts';
import { moveRetainedBodies } from './move-retained-bodies.ts';
import { dropWeek, hasRows, hasRetainedRuns, listWeeks, type Parted } from './weeks.ts';

export interface SweptTraces {
  /** Dropped partitions. */
  weeks: number;
  runs: number;
  blocks: number;
  blobs: number;
}

/**
 * Deletes expired data (contract §5.2): drops weeks that nothing retains and deletes the rest row by row. Bodies of
 * retained traces are moved before their week is dropped. Idempotent.
 */
export async function sweepTraces(db: Database, days: RetentionDays): Promise<SweptTraces> {
  await resolveRetainedRuns(db);
  await settleUnknownWords(db);
  const kept = await listRetention(db, days);
  for (const project of kept) await moveRetainedBodies(db, project);
  const weeks = (await dropWeeks(db, 'run', kept)) + (await dropWeeks(db, 'body_block', kept));
  const swept = { weeks, runs: 0, blocks: 0, blobs: 0 };
  for (const project of kept) {
    swept.runs += await untilNone(() => deleteExpiredRuns(db, project));
    swept.blocks += await untilNone(() => deleteExpiredBlocks(db, project));
  }
  await deleteExpiredWords(db, kept);
  swept.blobs = await untilNone(() => deleteUnreferencedBlobs(db));
  await deleteOldExports(db);
  return swept;
}

async function dropWeeks(db: Database, parted: Parted, kept: ProjectRetention[]): Promise<number> {
  const latest = kept.reduce((last, { before }) => (before > last ? before : last), '');
  let dropped = 0;
  for (const week of await listWeeks(db, parted)) {
    if (week.until > latest) break;
    const keeping = kept.filter(({ before }) => week.until > before);
    const isNeeded = async (tx: Queryable): Promise<boolean> =>
      (await hasRows(tx, week, keeping)) || (parted === 'run' && (await hasRetainedRuns(tx, week, kept)));
    if (!(await isNeeded(db)) && (await dropWeek(db, parted, week, isNeeded))) dropped++;
  }
  return dropped;
}

async function untilNone(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = await batch(); count > 0; count = await batch()) total += count;
  return total;
}
