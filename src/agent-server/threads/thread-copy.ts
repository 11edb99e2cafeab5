import { type Database, inTransaction } from '../../platform/db/database.ts';
import { uuid7 } from '../../platform/ids.ts';
import { copyCheckpoints } from '../graphs/checkpoints/checkpoint-maintenance.ts';
import { findThread } from './thread-repository.ts';
import type { Thread } from './thread.ts';

/** A new idle thread with the metadata, values and whole history of another; undefined when that is missing. */
export async function copyThread(db: Database, sourceId: string): Promise<Thread | undefined> {
  const copyId = uuid7();
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `insert into thread (thread_id, metadata, "values", interrupts)
       select $2, metadata, "values", interrupts from thread where thread_id = $1 for share`,
      [sourceId, copyId],
    );
    if (rowCount === 0) return undefined;
    await copyCheckpoints(tx, sourceId, copyId);
    return findThread(tx, copyId);
  });
}
